"""How elements that a mask chooses are found, by NumPy's calls and by kernels."""

from __future__ import annotations

from typing import Final

MASK_FROM_ELEMENTS: Final = 1 << 12
"""Elements of a mask from which it may be worth a look how often it changes. Measured: of 1000 random float32 numbers
NumPy chooses half in 5 microseconds, by their places in 3; of 10,000 in 70 and 19.
"""

MASK_PROBED: Final = 64
"""Neighbours in a mask that are looked at, at as many places. Not measured on record."""

MASK_MIXED_FROM: Final = 1 / 6
"""Share of neighbours in a mask that differ from which elements are chosen by their places. Measured: of 3,200,000
random float32 numbers NumPy chooses 0.05 in 5.7 milliseconds, 0.1 in 10, 0.5 in 27, 0.9 in 9.7 and 0.95 in 7.3, by
places in parts in 6.1, 7.6, 8.3, 6.6 and 9.6; of neighbours in a mask of which 0.1 is true 0.18 differ.
"""

MASK_PART: Final = 1 << 15
"""Elements of a mask whose places are found at once, which caches hold. Measured: half of 3,200,000 random float32
numbers are chosen in 8.3 milliseconds in such parts, in 10 in a quarter of them, in 9 at once.
"""

FILTERED_ON_A_DEVICE_FROM: Final = 1 << 20
"""Elements of a mask from which kernels find where it is true on a device that does not share the host's memory, also
where it is made of arrays that the host sees. Measured: beside an H100 NumPy chooses half of 100,000 float32 numbers in
1.1 milliseconds, of 600,000 in 5.3; kernels take 0.2 to 0.4 up to 3,200,000, but until they are made the scan and the
rest are NumPy's, too, which took 29 for 1,048,576.
"""

FRONT_MEMORY_AT_MOST: Final = 3
"""How many times as much memory the elements that a mask chose may take: they lie at the front of what all elements
were written to. Fewer are copied to memory of their own. Measured: on PoCL a filter of 3,200,000 float32 numbers takes
5 % longer where it copies a hundredth of them, 28 % longer where it copies a third.
"""

FRONT_COPIED_FROM_BYTES: Final = 1 << 14
"""Bytes of that memory from which they are. Measured: on PoCL a filter of 64 to 16,384 float32 numbers takes 43 to 63
microseconds, and some 10 more to copy a hundredth of them; a thousand results of a few elements each hold 16 MB.
"""

COUNTED_FIRST_FROM_BYTES: Final = 1 << 26
"""Bytes of all elements from which those that a mask chooses are counted before any is written, if all take more than
one buffer holds, or much more memory than what is read; and from which places are found as 32-bit integers first. A
process has as much memory to spare, and devices have buffers of 128 MiB (OpenCL 1.2, table 4.3). Measured: on PoCL half
of the numbers of a range of 8Mi take 18 ms where they are counted first, 7 otherwise; the true half of the places of
64, 10,000 and 3,200,000 elements takes 65 us, 90 us and 5.1 ms as 32-bit integers first, 49 us, 66 us and 4.0 ms
otherwise.
"""

COUNTED_FIRST_ABOVE: Final = 4
"""How many times the memory of what they and the mask are made of all elements must exceed for that. Not measured on
record: the places in a mask of bytes, of 32 bits each, are four times as large as it; 64-bit numbers of a range, or
what is broadcast, are more.
"""

MASK_LOOKED_AT: Final = 64
"""Operations that a mask is made of which are looked at for arrays in a device's memory. Not measured on record."""
