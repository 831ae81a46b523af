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

  // What a reader has opened or typed is carried over to the part that replaces it, so nothing stops being updated.
  function carryOver(old, part) {
    const places = new Map(); // how many <details> with the same summary came before
    const key = (each, seen) => {
      const words = each.querySelector("summary")?.textContent.trim() ?? "";
      seen.set(words, (seen.get(words) ?? 0) + 1);
      return `${words} ${seen.get(words)}`;
    };
    const isOpen = new Map([...old.querySelectorAll("details")].map((each) => [key(each, places), each.open]));
    places.clear();
    for (const each of part.querySelectorAll("details")) each.open = isOpen.get(key(each, places)) ?? each.open;
    for (const field of old.querySelectorAll("input:not([type=hidden]), textarea, select")) {
      const fresh = field.id && part.querySelector(`#${CSS.escape(field.id)}`);
      if (fresh && field.value !== fresh.value && field.value !== (field.defaultValue ?? fresh.value)) fresh.value = field.value;
    }
    const boxes = [...old.querySelectorAll(".scroll")];
    part.querySelectorAll(".scroll").forEach((box, i) => { box.dataset.left = boxes[i]?.scrollLeft || 0; });
  }

  function selectorOf(element) {
    if (element.id) return `#${CSS.escape(element.id)}`;
    if (element.tagName === "SUMMARY") return null;
    const href = element.getAttribute("href");
    return href ? `a[href="${CSS.escape(href)}"]` : null;
  }

  function focusAgain(part, focused, place) {
    const again = focused.tagName === "SUMMARY"
      ? part.querySelectorAll("summary")[place]
      : selectorOf(focused) && part.querySelector(selectorOf(focused));
    if (!again) return;
    again.focus({ preventScroll: true });
    if (focused.selectionStart != null && again.setSelectionRange && again.type !== "number") again.setSelectionRange(focused.selectionStart, focused.selectionEnd);
  }

  function put(html) {
    const fresh = new DOMParser().parseFromString(html, "text/html");
    for (const part of fresh.querySelectorAll("[data-part]")) {
      const old = document.querySelector(`[data-part="${part.dataset.part}"]`);
      if (!old || shown.get(old) === part.outerHTML) continue;
      const focused = old.contains(document.activeElement) ? document.activeElement : null;
      const place = focused ? [...old.querySelectorAll("summary")].indexOf(focused) : -1;
      shown.set(part, part.outerHTML);
      carryOver(old, part);
      old.replaceWith(part);
      part.querySelectorAll(".scroll").forEach((box) => { box.scrollLeft = Number(box.dataset.left); delete box.dataset.left; });
      if (focused) focusAgain(part, focused, place);
    }
    document.dispatchEvent(new Event("thresher:put"));
  }

  document.addEventListener("thresher:fresh", (event) => put(event.detail)); // parts that another script has fetched

  // A click is a press and a release on the same element: nothing is replaced in between.
  let released = Promise.resolve(), release = () => {};
  addEventListener("pointerdown", () => { released = new Promise((done) => { release = done; }); });
  for (const end of ["pointerup", "pointercancel", "blur"]) addEventListener(end, () => setTimeout(() => release(), 0));

  async function refresh() {
    isWanted = true;
    if (isFetching) return;
    isFetching = true;
    while (isWanted) {
      isWanted = false;
      const started = performance.now(), query = location.search;
      try {
        const answer = await fetch(page.dataset.glance + query, { headers: { Accept: "text/html" } });
        if (answer.status === 401) { location.reload(); return; }
        if (!answer.ok) throw new Error(answer.status);
        const html = await answer.text();
        await released;
        if (query === location.search) put(html);
        else isWanted = true; // the reader has chosen something else meanwhile
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
      // A browser comes back by itself after a broken line, not after a response that is not a stream.
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
  // A browser keeps six connections to a server: a hidden page must not hold one of them.
  document.addEventListener("visibilitychange", () => { if (document.hidden) hangUp(); else listen(); });
  addEventListener("pagehide", hangUp);
  // A page that comes back from the browser's cache has lost its stream.
  addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
})();
