#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(16, 1, 1))) void rows_kept_by_items(
    __global const float* restrict rows,
    __global float* restrict result)
{
    __local float shared0[16] __attribute__((aligned(16)));
    int group0 = (int)get_group_id(0);
    float kept0[4];
    int item0 = (int)get_local_id(0);
    kept0[0] = rows[64 * group0 + item0];
    kept0[1] = rows[64 * group0 + item0 + 16];
    kept0[2] = rows[64 * group0 + item0 + 32];
    kept0[3] = rows[64 * group0 + item0 + 48];
    int item1 = (int)get_local_id(0);
    int item2 = (int)get_local_id(0);
    float acc0 = 0.0f;
    acc0 = (acc0 + kept0[0]);
    acc0 = (acc0 + kept0[1]);
    acc0 = (acc0 + kept0[2]);
    acc0 = (acc0 + kept0[3]);
    shared0[item2] = acc0;
    barrier(CLK_LOCAL_MEM_FENCE);
    result[64 * group0 + item1] = (kept0[0] - shared0[0]);
    result[64 * group0 + item1 + 16] = (kept0[1] - shared0[0]);
    result[64 * group0 + item1 + 32] = (kept0[2] - shared0[0]);
    result[64 * group0 + item1 + 48] = (kept0[3] - shared0[0]);
}
