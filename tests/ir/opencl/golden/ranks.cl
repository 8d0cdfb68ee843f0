#pragma OPENCL FP_CONTRACT OFF

__kernel void ranks(
    __global const int* restrict ints,
    __global int* restrict result_0,
    __global long* restrict result_1,
    int n)
{
    int kept0[4];
    for (int i0 = 0; i0 < 4; ++i0) {
        kept0[i0] = 7;
    }
    for (int i1 = 0; i1 < n; ++i1) {
        const int e0 = ints[i1];
        const int key0 = (int)(((uint)e0) & 3U);
        const int place0 = kept0[key0];
        kept0[key0] = place0 + 1;
        result_0[i1] = place0;
        result_1[i1] = ((long)e0);
    }
}
