// Shows what another bar would change while the slider moves; the address keeps the bar, so updates of the page keep it.
(() => {
  "use strict";
  const form = document.querySelector("[data-other-bar]");
  if (!form) return;
  const field = form.elements.bar, slider = form.querySelector("[type=range]");
  let asked = null, timer = 0;
  const CALM = 120; // ms without a move before the server is asked

  async function show() {
    asked?.abort();
    const mine = asked = new AbortController();
    const bar = field.value.trim(), address = new URL(location.href);
    if (bar) address.searchParams.set("bar", bar); else address.searchParams.delete("bar");
    history.replaceState(history.state, "", address);
    try {
      const answer = await fetch(`${form.dataset.otherBar}?${new URLSearchParams({ bar })}`, { signal: mine.signal, headers: { Accept: "text/html" } });
      if (answer.ok) document.dispatchEvent(new CustomEvent("thresher:fresh", { detail: await answer.text() }));
    } catch { /* a later move, or no connection: the next update of the page shows it */ }
  }

  function soon() {
    clearTimeout(timer);
    timer = setTimeout(show, CALM);
  }

  form.querySelector("button").hidden = true;
  if (slider) {
    slider.hidden = false;
    slider.addEventListener("input", () => { field.value = slider.value; soon(); });
  }
  field.addEventListener("input", () => {
    if (slider && field.value.trim() && Number.isFinite(Number(field.value))) slider.value = field.value;
    soon();
  });
  form.addEventListener("submit", (event) => { event.preventDefault(); clearTimeout(timer); show(); });
})();
