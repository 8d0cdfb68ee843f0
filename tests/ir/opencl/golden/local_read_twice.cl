#pragma OPENCL FP_CONTRACT OFF

__kernel void local_read_twice(
    __global const float* restrict rows,
    __global float* restrict result)
{
    __local float shared0[64] __attribute__((aligned(16)));
    __local float shared1[32] __attribute__((aligned(16)));
    __local float shared2[32] __attribute__((aligned(16)));
    int group0 = (int)get_group_id(0);
    int item0 = (int)get_local_id(0);
    shared0[item0] = fabs(rows[64 * group0 + item0]);
    barrier(CLK_LOCAL_MEM_FENCE);
    __local float* from0 = shared0;
    __local float* into0 = shared1;
    __local float* swap0 = shared2;
    int length0 = 32;
    for (int turn0 = 0; turn0 < 6; ++turn0) {
        int item1 = (int)get_local_id(0);
        if (item1 < length0) {
            float acc0 = 0.0f;
            for (int i0 = 0; i0 < 2; ++i0) {
                acc0 = (acc0 + from0[i0 + 2 * item1]);
            }
            into0[item1] = acc0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        from0 = into0;
        into0 = swap0;
        swap0 = from0;
        length0 = length0 / 2;
    }
    int item2 = (int)get_local_id(0);
    result[64 * group0 + item2] = (from0[0] - shared0[item2]);
}
