#pragma OPENCL FP_CONTRACT OFF

__kernel void generated_rows(
    __global long* restrict result,
    int m,
    int n)
{
    int item0 = (int)get_global_id(1);
    if (item0 < n) {
        int item1 = (int)get_global_id(0);
        if (item1 < m) {
            const long t0 = (long)((ulong)(long)((ulong)(long)((ulong)(long)item0 * (ulong)10L) - (ulong)((long)item1)) + (ulong)1L);
            result[item0 * m + item1] = t0;
        }
    }
}
