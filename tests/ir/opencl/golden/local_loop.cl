#pragma OPENCL FP_CONTRACT OFF

__kernel void local_loop(
    __global const float* restrict rows,
    __global float* restrict result)
{
    __local float shared0[16] __attribute__((aligned(16)));
    int group0 = (int)get_group_id(0);
    for (int i0 = 0; i0 < 4; ++i0) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int item0 = (int)get_local_id(0);
        shared0[item0] = fabs(rows[64 * group0 + 16 * i0 + item0]);
        barrier(CLK_LOCAL_MEM_FENCE);
        int item1 = (int)get_local_id(0);
        result[64 * group0 + 16 * i0 + item1] = (shared0[15 - item1] + 1.0f);
    }
}
