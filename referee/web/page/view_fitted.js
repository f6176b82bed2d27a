// Draws the settings of the table's devices: camera, bell, sandtimer, lamp.

import { h } from "./dom.js";
import { fields } from "./form.js";
import { note, select, sign } from "./parts.js";
import { t } from "./words.js";

// The header pin of each GPIO.
const HEADER = { 2: 3, 3: 5, 4: 7, 5: 29, 6: 31, 7: 26, 8: 24, 9: 21, 10: 19, 11: 23, 12: 32, 13: 33, 14: 8, 15: 10, 16: 36, 17: 11, 18: 12, 19: 35, 20: 38, 21: 40, 22: 15, 23: 16, 24: 18, 25: 22, 26: 37, 27: 13 };

export function fitted(app, now) {
  const { properties } = app.loaded("form", "/api/settings/schema") || {};
  if (!now.bell || !properties) return null;
  const { local } = app;
  const set = async (part) => {
    app.set({ settling: true });
    await app.saveSettings(part);
    // A new key draws the valid values again, also after a refusal.
    app.set({ settling: false, settled: (local.settled || 0) + 1 });
  };
  // Each seat's button needs its own pin.
  const seatPins = properties.bell_pins.seats;
  const setWired = (part) => set(part.bell === "seats" && now.bell_pins.length < 2 ? { bell_pins: seatPins, ...part } : part);
  const pins = now.bell_pins.length > 1 ? now.bell_pins : seatPins;
  const seatPin = (value, seat) => pin([sign(seat), t("bell_pin_of", { n: seat + 1 })], `bell-pin-${seat}`, value, (changed) => set({ bell_pins: pins.map((one, at) => (at === seat ? changed : one)) }));
  return h("fieldset", { class: "card-box", key: `fitted ${local.settled || 0}`, disabled: Boolean(local.settling) },
    h("legend", {}, t("fitted")),
    local.settling ? h("p", { class: "note", role: "status" }, t("one_moment")) : null,
    fields(app, "fitted", now, setWired, {
      camera: ({ word, examples }) => {
        const { cameras: plugged = [], notes = [] } = app.loaded("plugged", "/api/cameras") || {};
        return [select("camera", t(word), cameras(plugged, now, examples), now.camera, (camera) => set({ camera })), notes.map((one) => note(one))];
      },
      bell_pins: ({ word }) => {
        if (now.bell === "one") return pin(t(word), "bell-pin", now.bell_pins[0], (value) => set({ bell_pins: [value] }));
        return now.bell === "seats" ? pins.map(seatPin) : null;
      },
    }),
    note(t("fitted_more")),
  );
}

// Return the choices of a camera: the usual ones, those plugged in by their permanent names, and the current one.
function cameras(found, now, usual) {
  const kind = (camera) => (camera.startsWith("usb:") ? "camera_usb_0" : `camera_${camera.replace(":", "_")}`);
  const plugged = found.map((one) => [one.camera, `${t(kind(one.camera))}: ${one.name}`]);
  const usb = plugged.some(([name]) => name.startsWith("usb:"));
  const own = usual.filter((name) => !(usb && name.startsWith("usb:")) && !plugged.some(([other]) => other === name));
  const known = own.map((name) => [name, t(kind(name))]).concat(plugged);
  return known.some(([name]) => name === now.camera) ? known : [...known, [now.camera, called(now.camera)]];
}

function called(camera) {
  const name = /by-id\/usb-(.*?)(-video-index\d+)?$/.exec(camera);
  if (name) return `${t("camera_usb_0")}: ${name[1].replaceAll("_", " ")}`;
  return camera.startsWith("usb:") ? t("camera_usb_0") : camera;
}

function pin(label, id, value, pick) {
  const places = Object.entries(HEADER).sort((a, b) => a[1] - b[1]);
  return select(id, label, places.map(([gpio, place]) => [gpio, t("pin", { place, gpio })]), value, (picked) => pick(Number(picked)));
}
