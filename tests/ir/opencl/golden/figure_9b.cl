#pragma OPENCL FP_CONTRACT OFF
typedef float4 __attribute__((aligned(sizeof(float)))) unaligned_float4;

__kernel void figure_9b_0(
    __global const float* restrict v256,
    __global float* restrict stage0)
{
    __local float4 shared0[8] __attribute__((aligned(16)));
    __local float4 shared1[4] __attribute__((aligned(16)));
    int group0 = (int)get_group_id(0);
    int item0 = (int)get_local_id(0);
    float4 acc0 = (float4)(0.0f);
    for (int i0 = 0; i0 < 2; ++i0) {
        acc0 = (acc0 + fabs(*(__global const unaligned_float4*)(v256 + (64 * group0 + 32 * i0 + 4 * item0))));
    }
    shared0[item0] = acc0;
    barrier(CLK_LOCAL_MEM_FENCE);
    __local float4* from0 = shared0;
    __local float4* into0 = shared1;
    int length0 = 4;
    for (int turn0 = 0; turn0 < 3; ++turn0) {
        int item1 = (int)get_local_id(0);
        if (item1 < length0) {
            float4 acc1 = (float4)(0.0f);
            for (int i1 = 0; i1 < 2; ++i1) {
                acc1 = (acc1 + from0[i1 + 2 * item1]);
            }
            into0[item1] = acc1;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        __local float4* swap0 = from0;
        from0 = into0;
        into0 = swap0;
        length0 = length0 / 2;
    }
    int item2 = (int)get_local_id(0);
    if (item2 < 1) {
        *(__global unaligned_float4*)(stage0 + (4 * group0 + 4 * item2)) = from0[item2];
    }
}

__kernel void figure_9b_1(
    __global const float* restrict stage0,
    __global float* restrict result)
{
    float acc0 = 0.0f;
    for (int i0 = 0; i0 < 16; ++i0) {
        acc0 = (acc0 + stage0[i0]);
    }
    result[0] = acc0;
}
