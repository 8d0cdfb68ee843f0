#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(16, 1, 1))) void map_reduce_shared_out(
    __global const float* restrict rows,
    __global float* restrict result_0,
    __global float* restrict result_1)
{
    int group0 = (int)get_group_id(0);
    float kept0;
    int item0 = (int)get_local_id(0);
    kept0 = 0.0f;
    for (int i0 = 0; i0 < 4; ++i0) {
        int item1 = (int)get_local_id(0);
        result_0[64 * group0 + 16 * i0 + item1] = (rows[(long)64 * group0 + (long)16 * i0 + (long)15 - (long)item1] * 2.0f);
        int item2 = (int)get_local_id(0);
        float old0 = kept0;
        kept0 = (old0 + rows[64 * group0 + 16 * i0 + item2]);
    }
    int item3 = (int)get_local_id(0);
    result_1[16 * group0 + item3] = fabs(kept0);
}
