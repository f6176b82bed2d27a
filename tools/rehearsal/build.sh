#!/bin/bash
# Builds the rehearsal machine's disk, kernel and package store: build.sh FOLDER. Debian packages and PyPI only.
# FOLDER/pip has pip's settings for the systems that are built, which find them at /opt/rehearsal/pip.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$1
release=trixie
base=$out/base workshop=$out/workshop disk=$out/disk
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
# What names files of this system does not hold in the ones that are built.
unset "${!PIP_@}" REQUESTS_CA_BUNDLE CURL_CA_BUNDLE SSL_CERT_FILE SSL_CERT_DIR
export PIP_CONFIG_FILE=/opt/rehearsal/pip/pip.conf
say() { printf '%5d s  %s\n' $SECONDS "$1" >&3; }

exec 3>&1 >"$out/build.log" 2>&1
trap 'status=$?; [ $status = 0 ] || { echo "The rehearsal machine could not be built:" >&3; tail -n 15 "$out/build.log" >&3; }' EXIT
set -x
rm -rf "$base" "$workshop" "$disk"

say "a Debian system of about what Raspberry Pi OS Lite has"
mmdebstrap --variant=minbase --include=systemd,systemd-sysv,udev,dbus,kmod,make,python3,linux-image-amd64,initramfs-tools,iproute2,ca-certificates,procps "$release" "$base"
cp /etc/resolv.conf "$base/etc/resolv.conf"
mkdir -p "$base/opt/rehearsal"
cp -a "$out/pip" "$base/opt/rehearsal/pip"

say "a workshop with the compiler"
cp -a "$base" "$workshop"
chroot "$workshop" apt-get update -qq
kernel=$(basename "$workshop"/lib/modules/*)
series=$(echo "$kernel" | cut -d. -f1-2)
chroot "$workshop" apt-get install -qq --no-install-recommends "linux-headers-$kernel" "linux-source-$series" \
	gcc xz-utils python3-dev python3-pip libcap-dev swig dpkg-dev

say "the kernel's GPIO simulator, which Debian leaves out"
tree=$workshop/usr/src/linux-source-$series
tar -C "$workshop/usr/src" -xf "$tree.tar.xz" "linux-source-$series/drivers/gpio/gpio-sim.c" "linux-source-$series/kernel/irq/irq_sim.c"
module=$workshop/usr/src/gpio-sim
mkdir -p "$module"
cp "$tree/drivers/gpio/gpio-sim.c" "$module/lines.c"
# irq_sim is built in or missing, never a module; the call that it makes is not open to modules, this one is.
sed 's/handle_simple_irq(irq_to_desc(irqnum));/generic_handle_irq_safe(irqnum);/' "$tree/kernel/irq/irq_sim.c" >"$module/edges.c"
printf 'obj-m := gpio-sim.o\ngpio-sim-y := lines.o edges.o\n' >"$module/Kbuild"
chroot "$workshop" make -C "/usr/src/linux-headers-$kernel" M=/usr/src/gpio-sim modules
strip --strip-debug "$module/gpio-sim.ko"

say "python3-picamera2 and python3-lgpio, which only Raspberry Pi OS has, packed from PyPI"
chroot "$workshop" apt-get install -qq --no-install-recommends python3-numpy
pack() { # MODULE DEPENDS: all that pip brings with it but numpy
	local package=$workshop/tmp/python3-$1
	local modules=$package/usr/lib/python3/dist-packages
	mkdir -p "$package/DEBIAN" "$modules"
	chroot "$workshop" env PYPI=1 pip install --quiet --no-cache-dir --no-compile --break-system-packages \
		--prefix "/tmp/$1" "$1"
	cp -a "$workshop/tmp/$1"/local/lib/python3*/dist-packages/. "$modules/"
	rm -rf "$modules"/{numpy,numpy.libs,numpy-*}
	[ "$1" != picamera2 ] || cp "$here"/inside/picamera2_off_a_pi.{py,pth} "$modules/"
	cat >"$package/DEBIAN/control" <<-END
		Package: python3-$1
		Version: 0+rehearsal
		Architecture: amd64
		Maintainer: The rehearsal <nobody@localhost>
		Depends: $2
		Description: $1 from PyPI under the name that it has on Raspberry Pi OS
	END
	chroot "$workshop" dpkg-deb --root-owner-group -Znone --build "/tmp/python3-$1" "/tmp/python3-$1.deb"
}
pack picamera2 "python3, python3-numpy, python3-libcamera, libcamera-ipa"
# PyPI has no wheel of it for this Python; the source has the library in it.
pack lgpio python3

say "the disk, with most of what the installer asks for, as a Raspberry Pi OS with a desktop has it"
cp -a "$base" "$disk"
cp "$workshop/tmp/python3-picamera2.deb" "$disk/tmp/"
chroot "$disk" apt-get update -qq
chroot "$disk" apt-get install -qq --no-install-recommends alsa-utils avahi-daemon /tmp/python3-picamera2.deb

say "a store of the packages that are left to fetch"
store=$disk/opt/rehearsal/apt
mkdir -p "$store" "$workshop/tmp/store"
chroot "$disk" apt-get clean
chroot "$disk" apt-get install -qq --download-only --no-install-recommends python3-venv espeak-ng
cp "$disk"/var/cache/apt/archives/*.deb "$workshop"/tmp/python3-*.deb "$store/"
cp "$store"/*.deb "$workshop/tmp/store/"
chroot "$workshop" bash -c 'cd /tmp/store && dpkg-scanpackages . 2>/dev/null' >"$store/Packages"
chroot "$disk" apt-get clean

say "what starts it"
sed -i 's/^MODULES=.*/MODULES=list/' "$disk/etc/initramfs-tools/initramfs.conf"
printf 'virtio_pci\nvirtio_blk\next4\n' >>"$disk/etc/initramfs-tools/modules"
mkdir -p "$disk/lib/modules/$kernel/extra"
cp "$module/gpio-sim.ko" "$disk/lib/modules/$kernel/extra/"
chroot "$disk" depmod -a "$kernel"
chroot "$disk" update-initramfs -u -k "$kernel"
cp "$disk/boot/vmlinuz-$kernel" "$out/vmlinuz"
cp "$disk/boot/initrd.img-$kernel" "$out/initrd"
cp "$here"/inside/{agent.py,start.sh,cpuinfo} "$disk/opt/rehearsal/"
cp "$here/inside/rehearsal.service" "$disk/etc/systemd/system/"
mkdir -p "$disk/usr/share/libcamera/pipeline/virtual"
cp "$here/inside/virtual.yaml" "$disk/usr/share/libcamera/pipeline/virtual/"
echo 'deb [trusted=yes] file:/opt/rehearsal/apt ./' >"$disk/etc/apt/sources.list"
rm -rf "$disk"/etc/apt/sources.list.d/* "$disk"/var/lib/apt/lists/* "$disk"/opt/rehearsal/pip
echo raspberrypi >"$disk/etc/hostname"
printf '127.0.0.1\tlocalhost\n127.0.1.1\traspberrypi\n' >"$disk/etc/hosts"
: >"$disk/etc/machine-id"
echo '/dev/vda / ext4 rw,noatime 0 0' >"$disk/etc/fstab"
chroot "$disk" systemctl enable rehearsal.service
chroot "$disk" systemctl mask apt-daily.timer apt-daily-upgrade.timer e2scrub_all.timer fstrim.timer dpkg-db-backup.timer
mke2fs -q -t ext4 -L rehearsal -d "$disk" "$out/disk.img" 4G
qemu-img convert -O qcow2 "$out/disk.img" "$out/disk.qcow2"
rm -rf "$disk" "$out/disk.img" "$workshop"

say "what fetches the libraries for the machine's Python"
chroot "$base" apt-get update -qq
chroot "$base" apt-get install -qq --no-install-recommends python3-pip python3-numpy
chroot "$base" python3 -c 'import numpy; print(f"numpy=={numpy.__version__}")' >"$base/constraints.txt"
say "done"
