// Browsers start no worker for a page that is opened from the file system. There, the search runs in a hidden frame instead.
(() => {
  "use strict";
  if (location.protocol !== "file:") return;

  class IFrameWorker extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.title = "Search";
      document.body.append(frame);
      this.frame = frame;
      const inside = frame.contentWindow;
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      this.started = new Promise((done, failed) => {
        const script = frame.contentDocument.createElement("script");
        script.onload = done;
        script.onerror = failed;
        script.src = String(url);
        frame.contentDocument.body.append(script);
      });
    }

    postMessage(data) {
      this.started.then(() => this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data })));
    }

    terminate() {
      this.frame.remove();
    }
  }

  window.IFrameWorker = IFrameWorker; // the search script looks for this name
  window.Worker = IFrameWorker;
})();
