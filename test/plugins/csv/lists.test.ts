/** Lists in one cell, and names in one cell: as other programs write them, and as exports do. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { joinedList, splitList } from '../../../plugins/csv/cell.ts'
import { nameIn } from '../../../plugins/csv/entry.ts'

const test = suite('lists and names in cells')

test('tags are parted by whatever parts them', () => {
  for (const text of ['one;two', 'one, two', 'one two', ' one ,two,', '["one", "two"]', 'one\ntwo', 'one;two;'])
    assert.equal(splitList(text), ['one', 'two'], text)
  assert.equal(splitList('needs work;'), ['needs work'])
  assert.equal(splitList('needs work; has, comma'), ['needs work', 'has, comma'])
  assert.equal(splitList('one\\;two'), ['one;two'])
  assert.equal(splitList('[1,2]'), ['1', '2'])
  assert.equal(splitList('[draft] later'), ['[draft]', 'later'])
})

test('a list that is exported is imported as it was', () => {
  const item = fc
    .string({
      unit: fc.constantFrom('a', 'b', ' ', ',', ';', '\\', '"', '[', ']', '1', 'ü'),
      minLength: 1,
      maxLength: 8,
    })
    .map((text) => text.trim())
    .filter((text) => text !== '')
  fc.assert(
    fc.property(fc.array(item, { minLength: 1, maxLength: 4 }), (items) =>
      assert.equal(splitList(joinedList(JSON.stringify(items).replaceAll('","', '", "')) ?? ''), items),
    ),
    { numRuns: 5_000 },
  )
})

test('items that together look like a JSON list stay the items that they are', () => {
  for (const items of [
    ['["', '"]'],
    ['[1', '2]'],
    ['[', ']'],
  ])
    assert.equal(splitList(joinedList(JSON.stringify(items)) ?? ''), items)
})

test('names are read in every usual order', () => {
  for (const [text, first, last] of [
    ['Ann van Dyke', 'Ann van', 'Dyke'],
    ['van Dyke, Ann', 'Ann', 'van Dyke'],
    ['Dyke,Ann Mary', 'Ann Mary', 'Dyke'],
    ['DUPONT Jean', 'Jean', 'DUPONT'],
    ['DE LA CRUZ Maria Jose', 'Maria Jose', 'DE LA CRUZ'],
    ['Jean DUPONT', 'Jean', 'DUPONT'],
    ['JEAN DUPONT', 'JEAN', 'DUPONT'],
    ['JP Morgan', 'JP', 'Morgan'],
    ['Martin Luther King, Jr.', 'Martin Luther', 'King, Jr.'],
    ['King, Martin Luther, Jr.', 'Martin Luther', 'King, Jr.'],
    ['Ann Dyke, PhD', 'Ann', 'Dyke, PhD'],
    [' Ann\u00a0Dyke ', 'Ann', 'Dyke'],
    ['Cher', 'Cher', '-'],
    ['Cher,', 'Cher', '-'],
    ['word@people.example', 'word', 'people.example'],
  ] as const)
    assert.equal(nameIn(text), { first, last }, text)
})

test.run()
