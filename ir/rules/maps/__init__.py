"""Rules on maps: how they split, fuse and change places with reshapes (ICFP 2015, figure 6), alone and side by side."""
