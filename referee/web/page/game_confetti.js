// Confetti on the page: the sand, and the count.

export const lesson = { expected: 84, unit: "teach_cards", said: "teach_said_cards" };

// What is to be tapped next, as a word and a command.
export function due(phase) {
  if (phase === "running") return ["time_up", "time"];
  return phase === "counting" ? ["count_now", "count"] : ["flip", "flip"];
}

// What may be tapped besides: the next round, though the hands are not counted.
export function besides(phase) {
  return phase === "counting" ? ["flip", "flip"] : null;
}
