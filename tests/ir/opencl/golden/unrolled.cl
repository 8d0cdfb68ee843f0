#pragma OPENCL FP_CONTRACT OFF

__kernel void unrolled(
    __global const float* restrict v8,
    __global float* restrict result)
{
    result[0] = (v8[0] * 2.0f);
    result[1] = (v8[1] * 2.0f);
    result[2] = (v8[2] * 2.0f);
    float acc0 = 0.0f;
    acc0 = (acc0 + v8[0]);
    acc0 = (acc0 + v8[1]);
    acc0 = (acc0 + v8[2]);
    acc0 = (acc0 + v8[3]);
    acc0 = (acc0 + v8[4]);
    acc0 = (acc0 + v8[5]);
    acc0 = (acc0 + v8[6]);
    acc0 = (acc0 + v8[7]);
    result[3] = acc0;
}
