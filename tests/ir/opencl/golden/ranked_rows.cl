#pragma OPENCL FP_CONTRACT OFF

__kernel void ranked_rows(
    __global const int* restrict iss,
    __global long* restrict result_0,
    __global int* restrict result_1,
    int m,
    int n)
{
    int item0 = (int)get_global_id(0);
    if (item0 < n) {
        long kept0[2];
        for (int i0 = 0; i0 < 2; ++i0) {
            kept0[i0] = 0L;
        }
        for (int i1 = 0; i1 < m; ++i1) {
            const int e0 = iss[item0 * m + i1];
            const int key0 = (int)(((uint)e0) & 1U);
            const int place0 = (int)kept0[key0];
            kept0[key0] = place0 + 1;
            result_0[item0 * m + i1] = (long)place0;
            result_1[item0 * m + i1] = e0;
        }
    }
}
