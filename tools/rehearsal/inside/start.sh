#!/bin/bash
# Makes of a plain computer what the referee takes for a Raspberry Pi: pins, a camera's memory, a processor's name.
set -eu
modprobe virtio_net
udevadm settle
ip link set eth0 up
ip address add 10.0.2.15/24 dev eth0

mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config
modprobe gpio-sim
pins=/sys/kernel/config/gpio-sim/pins
mkdir -p "$pins/header"
echo 58 >"$pins/header/num_lines"
echo pinctrl-bcm2711 >"$pins/header/label"
echo 1 >"$pins/live"
ln -sfn "/sys/devices/platform/$(cat "$pins/dev_name")/$(cat "$pins/header/chip_name")" /run/gpio-sim

# picamera2 asks for the camera's memory under the name that it has on a Raspberry Pi.
mkdir -p /dev/dma_heap
ln -sf system /dev/dma_heap/linux,cma
# gpiozero looks here for the model; services with a /proc of their own bind it anew.
mount --bind /opt/rehearsal/cpuinfo /proc/cpuinfo
exec python3 /opt/rehearsal/agent.py
