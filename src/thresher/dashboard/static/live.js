// Keeps a page up to date: the stream says that something happened, the parts that changed are fetched and put in place.
(() => {
  "use strict";
  const page = document.querySelector("[data-live]");
  if (!page) return;
  const sign = document.querySelector("[data-connection]");
  const CALM = 1000; // ms between two fetches at least
  const POLL = 2000; // ms between two fetches of a page that has no stream
  const shown = new WeakMap(); // the markup that a part was made from
  let isFetching = false, isWanted = false, hasFailed = false;

  function show(kind, text) {
    sign.className = `connection ${kind}`;
    if (sign.textContent !== text) sign.textContent = text;
  }

  function put(html) {
    const fresh = new DOMParser().parseFromString(html, "text/html");
    for (const part of fresh.querySelectorAll("[data-part]")) {
      const old = document.querySelector(`[data-part="${part.dataset.part}"]`);
      // What somebody is typing into, or has opened, stays as it is until they are done.
      if (!old || shown.get(old) === part.outerHTML || old.querySelector("details[open]")) continue;
      const focused = old.contains(document.activeElement) ? document.activeElement : null;
      if (focused && focused.matches("input, textarea, select")) continue;
      const key = focused && (focused.id ? `#${CSS.escape(focused.id)}` : `a[href="${CSS.escape(focused.getAttribute("href") || "")}"]`);
      const scrolled = [...old.querySelectorAll(".scroll")].map((box) => box.scrollLeft);
      shown.set(part, part.outerHTML);
      old.replaceWith(part);
      part.querySelectorAll(".scroll").forEach((box, i) => { box.scrollLeft = scrolled[i] || 0; });
      if (key) part.querySelector(key)?.focus({ preventScroll: true });
    }
    document.dispatchEvent(new Event("thresher:put"));
  }

  async function refresh() {
    isWanted = true;
    if (isFetching) return;
    isFetching = true;
    while (isWanted) {
      isWanted = false;
      const started = performance.now();
      try {
        const answer = await fetch(page.dataset.glance + location.search, { headers: { Accept: "text/html" } });
        if (answer.status === 401) { location.reload(); return; }
        if (!answer.ok) throw new Error(answer.status);
        put(await answer.text());
        hasFailed = false;
        show("live", "Live");
        // Newer verdicts are being computed, and nothing else will say so.
        isWanted = isWanted || document.querySelector("[data-behind]") !== null;
      } catch {
        hasFailed = true;
        isWanted = true;
        show("lost", "Connection lost, trying again …");
      }
      await new Promise((done) => setTimeout(done, Math.max(CALM, 3 * (performance.now() - started))));
    }
    isFetching = false;
  }

  let stream = null;

  function listen() {
    if (stream !== null || document.hidden) return;
    if (!page.dataset.events) { stream = poll(); return; }
    const mine = stream = new EventSource(page.dataset.events);
    mine.addEventListener("standing", refresh);
    mine.onerror = () => {
      show("lost", "Connection lost, trying again …");
      // A browser comes back by itself after a broken line, not after an answer that is no stream.
      if (mine.readyState === EventSource.CLOSED && stream === mine) { stream = null; setTimeout(listen, 2000); }
      if (!hasFailed) setTimeout(refresh, CALM);
    };
  }

  function poll() {
    refresh();
    const timer = setInterval(refresh, POLL);
    return { close: () => clearInterval(timer) };
  }

  function hangUp() {
    if (stream !== null) stream.close();
    stream = null;
  }

  listen();
  // A browser keeps six connections to a server: a page that nobody sees must not hold one of them.
  document.addEventListener("visibilitychange", () => { if (document.hidden) hangUp(); else listen(); });
  addEventListener("pagehide", hangUp);
  // A page that comes back from the browser's cache has lost its stream.
  addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
})();
