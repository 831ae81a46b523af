// The theme adds a toolbar to each code block once it is seen, and puts tables into boxes that scroll. Screen readers tell
// the toolbars apart by a label, and the keyboard reaches the boxes.
(() => {
  "use strict";
  let count = 0;
  const label = (root) => {
    for (const box of root.querySelectorAll(".md-typeset__scrollwrap:not([tabindex])")) box.tabIndex = 0;
    for (const bar of root.querySelectorAll("nav.md-code__nav:not([aria-label])")) bar.setAttribute("aria-label", `Code block ${(count += 1)}`);
  };
  label(document);
  new MutationObserver(() => label(document)).observe(document.body, { childList: true, subtree: true });
})();
