#pragma OPENCL FP_CONTRACT OFF
uint right_shift_uint(uint a, uint b) { return (uint)((uint)b < 32 ? a >> b : a < 0 ? -1 : 0); }

__kernel void sort_by_comparison(
    __global const float* restrict xs,
    __global long* restrict result,
    int n)
{
    int item0 = (int)get_global_id(0);
    if (item0 < n) {
        int acc0 = 0;
        for (int i0 = 0; i0 < n; ++i0) {
            const uint t0 = (right_shift_uint(as_uint(xs[i0]), 26U) & 63U);
            const uint t1 = (right_shift_uint(as_uint(xs[item0]), 26U) & 63U);
            acc0 = (int)((uint)acc0 + (uint)(((t0 < t1) | ((t0 == t1) & (i0 < item0))) ? 1 : 0));
        }
        const int at0 = acc0;
        result[at0] = ((long)item0);
    }
}
