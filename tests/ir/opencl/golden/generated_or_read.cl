#pragma OPENCL FP_CONTRACT OFF

__kernel void generated_or_read(
    __global const int* restrict ints,
    __global int* restrict result,
    int n)
{
    int item0 = (int)get_global_id(0);
    if (item0 < 3 * n) {
        const int e0 = (item0 - n);
        const int t0 = (int)((uint)(item0 < n ? ints[item0] : (item0 - n < n ? (int)((uint)e0 * (uint)e0) : ints[item0 - 2 * n])) + (uint)1);
        result[item0] = t0;
    }
}
