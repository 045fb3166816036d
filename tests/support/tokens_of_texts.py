"""Prints the tokens that the library `tokenizers` makes of texts.

usage: tokens_of_texts.py TOKENIZER TEXTS    TEXTS is a JSON list of texts. Prints a JSON list of lists of numbers.
"""

import json
import sys

import tokenizers

tokenizer = tokenizers.Tokenizer.from_file(sys.argv[1])
with open(sys.argv[2], encoding="utf-8") as file:
    texts = json.load(file)
print(json.dumps([encoding.ids for encoding in tokenizer.encode_batch(texts)]))
