// AES.
// https://spark.apache.org/docs/latest/api/sql/#aes_encrypt

#include "frazil/functions/list/topics.h"

namespace frazil::functions {

void AddEncryptionFunctions(FunctionList& list) {
  const char* const group = "misc_funcs";
  const auto empty = [] { return TextLiteral(""); };
  list.Add(Scalar("aes_encrypt", {Bytes(), Bytes(), Text(), Text(), Bytes(), Bytes()}, DataType::Binary())
               .Defaults({TextLiteral("GCM"), TextLiteral("DEFAULT"), empty(), empty()})
               .Nulls(NullRule::kAlways)
               .Group(group, "3.3.0", "Encrypts with AES: expr, key, mode (ECB, CBC, GCM), padding, vector, AAD."));
  list.Add(Scalar("aes_decrypt", {Bytes(), Bytes(), Text(), Text(), Bytes()}, DataType::Binary())
               .Defaults({TextLiteral("GCM"), TextLiteral("DEFAULT"), empty()})
               .Nulls(NullRule::kAlways)
               .Mode(EvalMode::kAnsi)
               .Group(group, "3.3.0", "Decrypts what aes_encrypt made."));
  list.Add(Scalar("try_aes_decrypt", {Bytes(), Bytes(), Text(), Text(), Bytes()}, DataType::Binary())
               .Defaults({TextLiteral("GCM"), TextLiteral("DEFAULT"), empty()})
               .Nulls(NullRule::kAlways)
               .Calls("aes_decrypt")
               .Mode(EvalMode::kTry)
               .Group(group, "3.5.0", "As aes_decrypt; NULL where that fails."));
}

}  // namespace frazil::functions
