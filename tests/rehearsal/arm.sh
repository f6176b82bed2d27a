#!/bin/bash
# Installs the project's libraries for a Raspberry Pi's processor and loads them: arm.sh FOLDER [RELEASE…]
# In Debian systems for arm64 under emulation, with the installer's own code. Prints a line a release.
set -euo pipefail
project=$(cd "$(dirname "$0")/../.." && pwd)
folder=$1
shift
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8

for tool in mmdebstrap arch-test qemu-aarch64-static update-binfmts; do
	command -v "$tool" >/dev/null || {
		echo "The rehearsal needs programs of Debian's: sudo apt-get install mmdebstrap arch-test qemu-user-static binfmt-support" >&2
		exit 1
	}
done
[ -e /proc/sys/fs/binfmt_misc/register ] || mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc
[ -e /proc/sys/fs/binfmt_misc/qemu-aarch64 ] || update-binfmts --enable qemu-aarch64

# What the referee loads there, and a picture that it reads.
read -r -d '' try <<-'END' || true
	import importlib.metadata as installed, platform, sys, tempfile, os
	os.chdir(tempfile.mkdtemp())
	import cv2, gpiozero, lgpio, mcap, numpy, reportlab
	import referee.cli
	from simulation.still import table_picture
	from vision.deck import load_deck
	from vision.reader import read_picture
	deck = load_deck("confetti")
	picture, truth = table_picture(deck, 4, seed=3, size=(1280, 720))
	read = {card.face.id for card in read_picture(picture, deck)[0].cards}
	there = {card["id"] for card in truth["cards"]}
	print(platform.machine(), "Python", platform.python_version(), "numpy", numpy.__version__, "OpenCV", cv2.__version__,
	      "lgpio", installed.version("lgpio"), f"cards read {len(read & there)} of {len(there)}", f"wrongly {len(read - there)}")
	sys.exit(not read or not read <= there)
END

# Raspberry Pi OS has lgpio as a package of its own, Debian has not; PyPI has a wheel for Python 3.11 only.
lgpio_from_pypi() {
	chroot "$1" pip install --quiet --break-system-packages --only-binary :all: 'lgpio>=0.2.2' || {
		chroot "$1" apt-get install -qq --no-install-recommends gcc libc6-dev make swig python3-dev &&
			chroot "$1" env PYPI=1 pip install --quiet --break-system-packages 'lgpio>=0.2.2'
	}
}

status=0
[ $# -gt 0 ] || set -- bookworm trixie
for release in "$@"; do
	begin=$SECONDS
	root=$folder/$release
	log=$folder/$release.log
	mkdir -p "$folder"
	rm -rf "$root"
	if {
		mmdebstrap --arch=arm64 --variant=minbase \
			--include=ca-certificates,python3,python3-venv,python3-pip,python3-numpy "$release" "$root" &&
			cp /etc/resolv.conf "$root/etc/" &&
			cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/" &&
			{ [ ! -f /etc/pip.conf ] || cp /etc/pip.conf "$root/etc/"; } &&
			lgpio_from_pypi "$root" &&
			mkdir "$root/project" &&
			cp -a "$project"/{pyproject.toml,README.md,LICENSE,systemd,vision,hardware,referee,calibration,simulation} \
				"$root/project/" &&
			chroot "$root" python3 /project/systemd/installer.py environment --folder /opt/trial --without picamera2
	} >"$log" 2>&1 && said=$(chroot "$root" /opt/trial/bin/python -c "$try" 2>>"$log"); then
		echo "ok   $release: $said [$((SECONDS - begin)) s]"
	else
		status=1
		echo "FAIL $release: ${said:-} $(tail -n 3 "$log" | tr '\n' ' ')"
		tail -n 5 "$root/var/log/ringmaster-install.log" 2>/dev/null || true
	fi
	rm -rf "$root"
done
exit $status
