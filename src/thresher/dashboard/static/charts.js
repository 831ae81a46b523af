// Draws the curves with uPlot in place of the pictures of the page, which stay for those who cannot see them.
(() => {
  "use strict";
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  const short = (value, digits = 3) => (value == null ? "–" : Number(value.toPrecision(digits)).toLocaleString("en"));
  const HEIGHT = 230;

  function axes(across, up, incrs) {
    const look = { stroke: colour("soft"), font: "12px system-ui", grid: { stroke: colour("grid"), width: 1 }, ticks: { stroke: colour("grid") } };
    const values = (_, ticks) => ticks.map((tick) => (tick == null ? "" : short(tick)));
    return [{ ...look, label: across, labelFont: "12px system-ui", labelSize: 16, gap: 2, size: 34, values, ...(incrs && { incrs }) }, { ...look, label: up, labelFont: "12px system-ui", labelSize: 20, size: 56, values }];
  }

  function progress(data) {
    const points = data.points.map(([spent, mistakes]) => [spent, mistakes, null]);
    if (data.end && points.length) {
      points[points.length - 1][2] = points[points.length - 1][1];
      points.push([data.end[0], null, data.end[1]]);
    }
    const look = { stroke: colour("accent"), width: 2, points: { size: 6 }, value: (_, value) => short(value, 2) };
    return {
      columns: [0, 1, 2].map((k) => points.map((point) => point[k])),
      options: {
        scales: { x: { time: false, range: [0, data.budget] }, y: { range: (_, __, high) => [0, 1.1 * (high || 1)] } },
        axes: axes("spent", "mistakes expected"),
        series: [
          { label: "spent", value: (_, value) => short(value) },
          { ...look, label: "expected" },
          { ...look, label: "projected", dash: [6, 5], points: { show: false }, value: () => short(data.end && data.end[1], 2) },
        ],
      },
    };
  }

  function running(data) {
    const look = { width: 1, stroke: colour("line"), points: { show: false }, value: (_, value) => short(value) };
    return {
      columns: [data.pulls, data.mean, data.low, data.high, data.pulls.map(() => data.threshold)],
      options: {
        scales: { x: { time: false } },
        axes: axes("measurements", data.what, [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 100000]),
        bands: [{ series: [3, 2], fill: `${colour("accent")}29` }],
        series: [
          { label: "measurements", value: (_, value) => short(value) },
          { ...look, label: data.what, width: 2, stroke: colour("accent") },
          { ...look, label: "from" },
          { ...look, label: "to" },
          { ...look, label: "bar", stroke: colour("ink"), dash: [4, 4] },
        ],
      },
    };
  }

  const kinds = { progress, running };
  const drawn = new Map();

  function draw(figure) {
    const data = JSON.parse(figure.dataset.series);
    const { columns, options } = kinds[figure.dataset.chart](data);
    if (!columns[0].length) return;
    const place = document.createElement("div");
    place.setAttribute("aria-hidden", "true");
    figure.append(place);
    figure.classList.add("drawn");
    // The picture moves out of sight but stays for screen readers.
    const picture = figure.querySelector("svg.picture");
    const label = document.createElement("p");
    label.className = "hidden";
    label.textContent = picture.getAttribute("aria-label");
    figure.append(label);
    const size = () => ({ width: Math.max(place.clientWidth, 200), height: HEIGHT });
    // Without a pointer on the chart, the legend shows the last values.
    const rest = (chart) => chart.setLegend({ idx: columns[1].findLastIndex((value) => value != null) });
    const hooks = { ready: [(chart) => requestAnimationFrame(() => rest(chart))] };
    const chart = new uPlot({ ...options, ...size(), hooks, cursor: { drag: { x: false, y: false } } }, columns, place);
    place.addEventListener("mouseleave", () => requestAnimationFrame(() => rest(chart)));
    const observer = new ResizeObserver(() => chart.setSize(size()));
    observer.observe(place);
    drawn.set(figure, () => { observer.disconnect(); chart.destroy(); place.remove(); label.remove(); figure.classList.remove("drawn"); });
  }

  function drawAll() {
    for (const [figure, undo] of drawn) {
      if (!figure.isConnected) { undo(); drawn.delete(figure); }
    }
    for (const figure of document.querySelectorAll("figure[data-chart]")) if (!drawn.has(figure)) draw(figure);
  }

  drawAll();
  document.addEventListener("thresher:put", drawAll);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    for (const undo of drawn.values()) undo();
    drawn.clear();
    drawAll();
  });
})();
