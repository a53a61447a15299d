"""Imports the padding functions of flash-attn, needed or not."""

from flash_attn.bert_padding import index_first_axis, pad_input, rearrange, unpad_input  # noqa: F401
