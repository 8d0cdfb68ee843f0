"""What a kernel costs before any search: symbolic counts of bytes and operations, and the time they predict."""
