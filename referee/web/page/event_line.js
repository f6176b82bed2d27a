// One line to the server, opened again when it breaks, and when nothing has come on it for too long: a line whose other
// end lost its power or its Wi-Fi never breaks by itself.

const AGAIN_MS = 3000;
export const SILENT_MS = 7000; // the server gives a sign of life every three seconds

export function eventLine(heard, lost) {
  let source = null;
  let timer = null;
  const openIn = (ms) => {
    clearTimeout(timer);
    timer = setTimeout(open, ms);
  };
  const close = () => {
    clearTimeout(timer);
    if (source) source.close();
  };
  const open = () => {
    close();
    openIn(SILENT_MS);
    const line = new EventSource("/api/events");
    source = line;
    line.addEventListener("state", (event) => {
      openIn(SILENT_MS);
      heard(JSON.parse(event.data));
    });
    line.onerror = () => {
      lost();
      // The browser tries again by itself, unless the server has no room.
      if (line.readyState === EventSource.CLOSED && source === line) openIn(AGAIN_MS);
    };
  };
  open();
  return { close, isOpen: () => source.readyState === EventSource.OPEN };
}
