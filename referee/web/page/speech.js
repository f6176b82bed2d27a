// Speaks Ringmaster's sentences, with the loudspeaker's chimes, on the one device that was chosen.

import { keep, kept } from "./kept.js";

const KEPT = "ringmaster-page";
const VOICES = { en: "en-GB", de: "de-DE", fr: "fr-FR" };
// The settings that choose this device, and no device.
export const HERE = kept(KEPT) || Array.from(crypto.getRandomValues(new Uint8Array(12)), (one) => one.toString(16).padStart(2, "0")).join("");
export const NOWHERE = "";
keep(KEPT, HERE);
let tapped = false;
let latest = null; // the number of the last sentence
let audio = null;
let soundsUntil = 0; // ms

export function canSpeak() {
  return Boolean(window.speechSynthesis);
}

export function speaksHere(app) {
  return canSpeak() && app.state !== null && app.state.settings.voice_page === HERE;
}

// Return whether the browser still forbids speech: it requires a touch first.
export function awaitsTouch(app) {
  const touched = navigator.userActivation ? navigator.userActivation.hasBeenActive : tapped;
  return speaksHere(app) && !touched;
}

export function touched(app) {
  const waited = awaitsTouch(app) || !tapped;
  tapped = true;
  if (!waited || !speaksHere(app)) return;
  window.speechSynthesis.speak(new SpeechSynthesisUtterance(""));
  app.draw();
}

// Speak new sentences on the leading tab; after a break only while the caption is still shown.
export function speakNew(app, leads) {
  const { said, caption, settings, language } = app.state;
  if (!said || !said.length) return;
  const last = said[said.length - 1].number;
  const known = latest;
  latest = last;
  // A restarted Ringmaster begins with lower numbers.
  if (known === null || last === known || !leads || !speaksHere(app)) return;
  const fresh = caption ? said.filter((one) => one.number > known || last < known) : [];
  for (const one of fresh) {
    if (one.urgent) window.speechSynthesis.cancel();
    const words = new SpeechSynthesisUtterance(one.text);
    Object.assign(words, { lang: VOICES[language] || language, volume: settings.volume });
    const now = performance.now();
    soundsUntil = Math.max(now, one.urgent ? 0 : soundsUntil) + sound(one.chime, settings.volume);
    if (soundsUntil > now) setTimeout(() => window.speechSynthesis.speak(words), soundsUntil - now);
    else window.speechSynthesis.speak(words);
  }
}

// Play a chime, and return its duration in ms; 0 Hz is a pause.
function sound(notes, volume) {
  let lasts = 0;
  for (const [hz, ms] of window.AudioContext ? notes : []) {
    audio = audio || new AudioContext();
    const [from, until] = [audio.currentTime + lasts / 1000, audio.currentTime + (lasts + ms) / 1000];
    const [tone, loudness] = [new OscillatorNode(audio, { frequency: hz }), new GainNode(audio, { gain: hz ? volume / 3 : 0 })];
    tone.connect(loudness).connect(audio.destination);
    loudness.gain.setTargetAtTime(0, until - 0.03, 0.01);
    tone.start(from);
    tone.stop(until);
    lasts += ms;
  }
  return lasts;
}
