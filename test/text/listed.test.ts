/** Lists that are one text: what is written as an item is read as that item. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { itemsOf, listedItem } from '../../engine/text/listed.ts'

const test = suite('listed')

const hostile = fc.array(fc.constantFrom('a', ',', '\\', ' ', '😀', '\ud800', '\0')).map((signs) => signs.join(''))

test('a list has the items of which it was written, in their order', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(hostile, fc.string()), { minLength: 1 }), (items) => {
      assert.equal(itemsOf(items.map(listedItem).join(',')), items)
    }),
  )
})

test('a backslash before anything else is itself', () => {
  const read = [String.raw`a\b,\n`, String.raw`\\,`, String.raw`\,`, String.raw`\\\,`, '\\'].map(itemsOf)
  assert.equal(read, [[String.raw`a\b`, String.raw`\n`], ['\\', ''], [','], [String.raw`\,`], ['\\']])
})

test.run()
