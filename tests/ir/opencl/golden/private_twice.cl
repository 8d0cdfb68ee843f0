#pragma OPENCL FP_CONTRACT OFF

__kernel void private_twice(
    __global const float* restrict rows,
    __global float* restrict result,
    int n)
{
    int item0 = (int)get_global_id(0);
    if (item0 < n) {
        float kept0[8];
        for (int i0 = 0; i0 < 4; ++i0) {
            kept0[i0] = fabs(rows[i0 + 64 * item0]);
        }
        for (int i1 = 0; i1 < 4; ++i1) {
            result[i1 + 12 * item0] = (kept0[3 - i1] + 1.0f);
        }
        for (int i2 = 0; i2 < 8; ++i2) {
            kept0[i2] = fabs(rows[i2 + 64 * item0 + 4]);
        }
        for (int i3 = 0; i3 < 8; ++i3) {
            result[i3 + 12 * item0 + 4] = (kept0[7 - i3] + 2.0f);
        }
    }
}
