#!/usr/bin/env python3
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
"""A node for the bench, as a start for your own: kind: "exec:python3 my_node.py" (docs/start/your-firmware.md)."""
import phasebench_node

ROOM = 40


class MyNode(phasebench_node.Node):
    name = "mynode"

    def reset(self):
        self.queue = []

    def stored(self):
        return len(self.queue)

    def queued(self, port):
        return sum(self.ports(message) >> port & 1 for message in self.queue)

    def turn(self, phase):
        """In phase 2d + b the node sends on dimension d if bit d of its address is b (P6, P7)."""
        dimension, bit = divmod(phase, 2)
        return dimension, (self.address >> dimension & 1) == bit

    def ports(self, message):
        """The dimensions on which a message may leave (F8)."""
        differing = message.destination ^ self.address
        return differing & -differing if self.ecube else differing

    def store(self, message):
        """A full node drops the new message (F10)."""
        if len(self.queue) == ROOM:
            return False
        self.queue.append(message)
        return True

    def next_for(self, port):
        """The first to arrive leaves first (F9, F13)."""
        for message in self.queue:
            if self.ports(message) >> port & 1:
                self.queue.remove(message)
                return message
        return None


if __name__ == "__main__":
    MyNode().run()
