"""What can be wrong with pictures, tables, decks and hands: the templates of sentences that are made in English."""

from __future__ import annotations

from referee.language import mark

TEMPLATES = (
    # Pictures.
    mark("there is no picture {path}"),
    mark("the picture {path} cannot be opened: {why}"),
    mark("{path} is a folder, not a picture"),
    mark("{path} is a device or a pipe, not a picture"),
    mark("the file {path} is too large for a picture ({size} MB)"),
    mark("the picture {path} is too large ({size}), at most {most} million pixels can be read"),
    mark("the picture {path} is too large ({size}) for its kind of file, save it smaller or as a plain JPEG"),
    mark("the picture {path} is too small to show a table ({size})"),
    mark("the picture is too large ({size}), at most {most} million pixels can be read"),
    mark("the picture is too large ({size}) for its kind of file, save it smaller or as a plain JPEG"),
    mark("the picture is too small to show a table ({size})"),
    mark("the file is empty"),
    mark("the file is not a JPEG, PNG, WebP or HEIC picture"),
    mark("the file is a film, not a picture: take a still picture of the table"),
    mark("the file is a JPEG of a rare kind, which cannot be read here: save it as a plain JPEG first"),
    mark("the file is torn or damaged"),
    mark("the file {path} is empty"),
    mark("the file {path} is not a JPEG, PNG, WebP or HEIC picture"),
    mark("the file {path} is a film, not a picture: take a still picture of the table"),
    mark("the file {path} is a JPEG of a rare kind, which cannot be read here: save it as a plain JPEG first"),
    mark("the file {path} is torn or damaged"),
    mark("no picture has arrived"),
    # The table and its marker cards.
    mark(
        "no marker card is in sight, so nobody knows who sits where: "
        "lay marker cards 0, 1, 2 and 3 at the table's corners"
    ),
    mark(
        "marker cards {list} lie on one line, so nobody knows who sits where: "
        "lay marker cards 0, 1, 2 and 3 at the table's corners"
    ),
    mark(
        "only marker card {number} is in sight, {list} are missing, so nobody knows who sits where: "
        "lay marker cards 0, 1, 2 and 3 at the table's corners"
    ),
    mark(
        "only marker cards {seen_list} are in sight, {number} is missing, so nobody knows who sits where: "
        "lay marker cards 0, 1, 2 and 3 at the table's corners"
    ),
    mark(
        "only marker cards {seen_list} are in sight, {list} are missing, so nobody knows who sits where: "
        "lay marker cards 0, 1, 2 and 3 at the table's corners"
    ),
    mark("no marker card is in sight"),
    mark("no marker card is in sight in {picture}"),
    mark("the marker cards in this picture do not lie on one flat table"),
    mark("marker card {number} is in {picture} twice: take away the one that does not belong there"),
    mark("marker cards {list} are in {picture} twice: take away the ones that do not belong there"),
    mark("{picture} is mirrored, left and right are swapped: turn mirroring off in the camera and take it again"),
    mark("the picture"),
    mark(
        "the camera was moved since the table was calibrated: the marker cards tell the table now; calibrate it again"
    ),
    mark("the camera was moved since the table was calibrated: the marker cards tell the table now"),
    mark("marker card {number} was pushed since the table was calibrated: it is left out"),
    mark("two marker cards have the number {number}: both are left out, take one away"),
    mark(
        "two marker cards have the number {number}: both are left out, take the one at the {where} of the picture away"
    ),
    mark("top left"),
    mark("top right"),
    mark("bottom left"),
    mark("bottom right"),
    mark("top"),
    mark("bottom"),
    mark("left"),
    mark("right"),
    mark("middle"),
    mark(
        "nothing in sight shows that the camera still stands where it stood when the table was calibrated: "
        "lay marker cards 0, 1, 2 and 3 at the table's corners, or calibrate the table again"
    ),
    mark(
        "the camera was moved since the table was calibrated, or the marker cards were: "
        "lay marker cards 0, 1, 2 and 3 at the table's corners, or calibrate the table again"
    ),
    mark(
        "the table profile is of an earlier version and cannot show whether the camera was moved since: "
        "calibrate the table again"
    ),
    mark("there is no table profile {path}"),
    mark("{path} is not a table profile: it is not JSON"),
    # Decks.
    mark("there is no deck called {name}, only {list}"),
    mark("there is no taught deck called {name}"),
    mark("there is no deck file {path}"),
    mark("{path} is torn, or is no deck file"),
    mark("there is a deck called {name} already: remove it first, or take another name"),
    mark("{name} is a deck that comes with Ringmaster: give yours another name"),
    mark("the cards of {name} show pictures, not marks"),
    mark("Coloretto cannot be played with the cards of {name}"),
    mark("the cards of {name} show marks, not pictures"),
    mark("this deck is not here any more: choose another one"),
    mark("no cards that lie apart are in {picture}"),
    mark("no cards that lie apart are in {picture} nor in the others"),
    mark("cards in {picture} touch one another (at {x}, {y} px): lay them apart and take it anew"),
    mark("two cards that look different are called {name}, in {one} and in {other}"),
    mark("--card-mm is a width and a height in mm, for example 63x88, not {given}"),
    # Hands, and what commands are told.
    mark("line {number}: {why}"),
    mark("seat {number}: {why}"),
    mark("broken JSON at character {number}"),
    mark("a JSON object in braces is needed"),
    mark('"cards" must be a list of cards, each a list of three colours'),
    mark("{card} must be a list of three colours: small, medium, big"),
    mark("{card} has one colour twice, a card's three colours differ"),
    mark("{card} has the colour {colour}, there is {list}"),
    mark("{number} cards are too many for one hand, at most {most} can be scored"),
    mark("there is no colour {colour}"),
    mark("hands of {game} cannot be scored, only those of {list}"),
    mark("say how many players sit round the table, for example --players 3"),
    mark("--players must be from 1 to {most}, not {given}"),
    mark("--limit must be at least 0"),
    mark("--{option} goes with a picture of the table: name it with --image"),
    mark("--scoring is for Coloretto: which side of the summary card counts"),
    mark("{path} holds no events: there is nothing to judge"),
    mark("{path} holds no pictures and no events: there is nothing to judge"),
    mark("--picture takes one picture at a time"),
    # Files and games.
    mark("no games are kept in {folder} yet"),
    mark("no games are kept in {folder}, but there are some in {other}: --state {same}"),
    mark("there is no game {number}; ringmaster history lists them"),
    mark("another Ringmaster is running with the games in {folder}: stop it first"),
    mark("{path} cannot be read: {why}"),
    mark("{path} cannot be written: {why}"),
    mark("{path} is a folder, not a file"),
    mark("there is no folder {folder} to write {path} into"),
    mark("{path} is to be read, and would be lost: write to another file"),
    mark("{path} is there already; choose another name"),
    mark("{path} is torn, or no export of games"),
    mark("there is no game {game}"),
    mark("the games in {folder} cannot be changed now"),
    mark("the file cannot be kept: {why}"),
    mark("no more can be written: {why}"),
    mark("the disk takes nothing: forgotten devices are paired again after the next start"),
    mark("the files cannot be moved: {why}"),
    mark("stopped"),
)
