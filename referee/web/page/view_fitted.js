// What is fitted at the table: camera, bell, sandtimer, lamp; in words, so that nobody has to edit a file.

import { h } from "./dom.js";
import { sign } from "./parts.js";
import { t } from "./words.js";

const BELLS = ["one", "seats", "microphone", "none"];
const CAMERAS = ["picamera2", "picamera2:1", "usb:0"];
const SEAT_PINS = [17, 27, 22, 4, 25, 12, 16];

// Where each GPIO is on the header's forty pins.
const HEADER = { 2: 3, 3: 5, 4: 7, 5: 29, 6: 31, 7: 26, 8: 24, 9: 21, 10: 19, 11: 23, 12: 32, 13: 33, 14: 8, 15: 10, 16: 36, 17: 11, 18: 12, 19: 35, 20: 38, 21: 40, 22: 15, 23: 16, 24: 18, 25: 22, 26: 37, 27: 13 };

export function fitted(app, now) {
  if (!now.bell) return null;
  // What is refused shows again what holds: its choice is drawn anew.
  const set = (part) => {
    const { local } = app;
    let saved = false;
    Object.assign(local, { settling: true });
    app.draw();
    const over = () => {
      Object.assign(local, { settling: false, refused: (local.refused || 0) + (saved ? 0 : 1) });
      app.draw();
    };
    app
      .run(Object.assign({ do: "settings" }, part), () => {
        saved = true;
        app.toasted(t("saved"));
      })
      .then(over, over);
  };
  return h(
    "fieldset",
    { class: "card-box", key: `fitted ${app.local.refused || 0}`, disabled: Boolean(app.local.settling) },
    h("legend", {}, t("fitted")),
    app.local.settling ? h("p", { class: "note", role: "status" }, t("one_moment")) : null,
    choice("camera", t("camera"), cameras(app, now), now.camera, (value) => set({ camera: value })),
    ((app.local.plugged || {}).notes || []).map((note) => h("p", { class: "note", key: note }, note)),
    choice("bell", t("bell"), BELLS.map((kind) => [kind, t(`bell_${kind}`)]), now.bell, (value) => set(bellPart(now, value))),
    now.bell === "one" ? pin(t("bell_pin"), "bell-pin", now.bell_pins[0], (value) => set({ bell_pins: [value] })) : null,
    now.bell === "seats" ? seats(now, set) : null,
    tick(t("sandtimer_fitted"), now.sandtimer, (on) => set({ sandtimer: on })),
    tick(t("lamp_fitted"), now.lamp, (on) => set({ lamp: on })),
    h("p", { class: "note" }, t("fitted_more")),
  );
}

// Cameras by their own names, which stay theirs whatever else is plugged in; one that was set otherwise can be kept.
function cameras(app, now) {
  const kind = (camera) => (camera.startsWith("usb:") ? "camera_usb_0" : `camera_${camera.replace(":", "_")}`);
  const plugged = ((app.local.plugged || {}).cameras || []).map((one) => [one.camera, `${t(kind(one.camera))}: ${one.name}`]);
  const usb = plugged.some(([name]) => name.startsWith("usb:"));
  const own = CAMERAS.filter((name) => !(usb && name.startsWith("usb:")) && !plugged.some(([other]) => other === name));
  const known = own.map((name) => [name, t(`camera_${name.replace(":", "_")}`)]).concat(plugged);
  return known.some(([name]) => name === now.camera) ? known : known.concat([[now.camera, called(now.camera)]]);
}

function called(camera) {
  const name = /by-id\/usb-(.*?)(-video-index\d+)?$/.exec(camera);
  if (name) return `${t("camera_usb_0")}: ${name[1].replaceAll("_", " ")}`;
  return camera.startsWith("usb:") ? t("camera_usb_0") : camera;
}

// A button at each seat needs pins of its own.
function bellPart(now, kind) {
  if (kind === "seats" && now.bell_pins.length < 2) return { bell: kind, bell_pins: SEAT_PINS };
  return { bell: kind };
}

function seats(now, set) {
  const pins = now.bell_pins.length > 1 ? now.bell_pins : SEAT_PINS;
  return pins.map((value, seat) =>
    pin([sign(seat), t("bell_pin_of", { n: seat + 1 })], `bell-pin-${seat}`, value, (changed) => set({ bell_pins: pins.map((one, at) => (at === seat ? changed : one)) })),
  );
}

function pin(label, id, value, onpick) {
  const choices = Object.entries(HEADER)
    .sort((a, b) => a[1] - b[1])
    .map(([gpio, place]) => [gpio, t("pin", { place, gpio })]);
  return choice(id, label, choices, String(value), (picked) => onpick(Number(picked)));
}

function choice(id, label, choices, value, onpick) {
  return h(
    "div",
    { class: "option", key: id },
    h("label", { for: id }, label),
    h(
      "select",
      { id, value, onchange: (event) => onpick(event.target.value) },
      choices.map(([name, text]) => h("option", { value: name, key: name }, text)),
    ),
  );
}

function tick(text, on, onpick) {
  return h("label", { class: "tick" }, h("input", { type: "checkbox", checked: on, onchange: (event) => onpick(event.target.checked) }), h("span", {}, text));
}
