// Bitmaps of 4096 bytes, for counting distinct integers.

#include "frazil/functions/list/topics.h"

namespace frazil::functions {

void AddBitmapFunctions(FunctionList& list) {
  const char* const group = "misc_funcs";
  list.Add(Scalar("bitmap_bit_position", {Long()}, DataType::Long())
               .Group(group, "3.5.0", "Position of a number in its bitmap."));
  list.Add(Scalar("bitmap_bucket_number", {Long()}, DataType::Long())
               .Group(group, "3.5.0", "Number of the bitmap of a number."));
  list.Add(Scalar("bitmap_count", {Bytes().Strict()}, DataType::Long()).Group(group, "3.5.0", "Number of bits set."));
  list.Add(Aggregate("bitmap_construct_agg", {Long()}, DataType::Binary())
               .Nulls(NullRule::kNever)
               .Group("agg_funcs", "3.5.0", "A bitmap with the bits at the given positions set."));
  list.Add(Aggregate("bitmap_or_agg", {Bytes().Strict()}, DataType::Binary())
               .Nulls(NullRule::kNever)
               .Group("agg_funcs", "3.5.0", "Bits set in one of the bitmaps."));
  list.Add(Aggregate("bitmap_and_agg", {Bytes().Strict()}, DataType::Binary())
               .Nulls(NullRule::kNever)
               .Group("agg_funcs", "4.1.0", "Bits set in all bitmaps."));
}

}  // namespace frazil::functions
