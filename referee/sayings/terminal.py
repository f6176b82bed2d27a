"""What commands print of what they did: the templates of sentences that are made in English."""

from __future__ import annotations

from referee.language import Language, mark

TEMPLATES = (
    mark("Drawn in {path}"),
    mark("Type a hand as JSON and press Enter; end with Ctrl-D."),
    # history, export, import
    mark("No game has been played yet."),
    mark("The simulated table's games lie apart: add --simulated to list those."),
    mark("{games} games with {pictures} pictures in {path}"),
    mark("{games} games with 1 picture in {path}"),
    mark("1 game with {pictures} pictures in {path}"),
    mark("1 game with 1 picture in {path}"),
    mark("{added} taken, {there} there already"),
    mark("{name} is forgotten in 1 game"),
    mark("{name} is forgotten in {count} games"),
    mark("game {number} is deleted with its pictures"),
    mark("{path}: ruling {ruling}; {what}"),
    mark("the table is seen in it"),
    mark("no pictures are in it: only what was read then"),
    mark("what cannot be read is left out: of game {list}"),
    mark("judged again, for their results did not follow from what happened: game {list} in the file"),
    # print, record
    mark("{path}: {number} pages; print at 100 % and measure the ruler: 100 mm"),
    mark("{path}: 1 picture, {seconds} s"),
    mark("{path}: {number} pictures, {seconds} s"),
    mark("{path}: {number} pictures ({lost} more did not come or were too fast to keep), {seconds} s"),
    # teach, decks
    mark("{picture}: {cards} cards, {new} of them new"),
    mark("{picture}: {cards} cards, {new} of them new, {unclear} unclear"),
    mark("  {face}, seen once"),
    mark("  {face}, seen {number} times"),
    mark("{deck}: {number} faces, {width} × {height} mm; ready"),
    mark("{deck}: {number} faces, {width} × {height} mm"),
    mark("{deck}: {number} faces, {width} × {height} mm, by their shape only"),
    mark("{one} and {two} look alike from here: lay the cards nearer to the camera"),
    mark("ready; least sure to be told apart is {one} from {two}, by {odds}"),
    mark(
        "not ready: of {number} cards that look most like others {unsure} could be mistaken, most easily {one} from "
        "{two}, by {odds}: take more pictures of these, nearer to the camera"
    ),
    mark("about {number} to 1"),
    mark("less than even odds"),
    mark("{deck} is removed"),
    mark("{deck} is now called {name}"),
    mark("{deck} is in {path}"),
    mark("{deck} is taken"),
    # demo
    mark("The picture with the evidence drawn in, to look at: {path}"),
    mark("What to try next:"),
    mark("start any game on the page: the drawn table plays it"),
    mark("another game; coloretto is the third"),
    mark("says what a real table still needs"),
    mark("All of Ringmaster's commands are in {folder}: {path} help lists them."),
    mark("All commands: {path} help"),
    mark("The page stays until you press Ctrl-C."),
    mark("The page stays open, for another game, too. Enter ends it."),
    # calibrate, club
    mark(
        "{path}: surveyed by marker cards {list}; lengths on the table are right to about {percent} %. Say --table "
        "{same} from now on, and leave the marker cards where they are: they show that the camera still stands."
    ),
    mark("{code} lets one table in, within a week."),
    mark("{table} is out; its games stay."),
    mark("no table is in the club yet: ringmaster club invite"),
    mark("no game is over yet"),
)


def unfinished(players: str, language: Language) -> str:
    """Give who played a game that has no result."""
    return language.text("{players} (not played to its end)", players=players)
