/** Mistakes in what a list offers: what cannot be summed up, and weights of what is no text. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { mistakes, saysOfThings as says, VIEW } from './resolves.ts'

const mistaken = suite('mistakes in list options')

mistaken('what cannot be summed up is refused', () => {
  says('fields: { n: { type: integer }, word: { type: string } }\nsummary: { by: [n, wort], of: [word, n] }', [
    'things.yaml [n] not_summarized: Records cannot be grouped by "n" (integer) (name relations to one record, enums, booleans, dates or timestamps)',
    'things.yaml [wort] unknown_field: There is no field "wort"',
    'things.yaml [word] not_summarized: There is nothing to sum up of "word" (string) (name numbers, dates or timestamps)',
  ])
})

mistaken('a weight is of a text', () => {
  says(
    'fields: { page: { type: integer }, word: { type: string } }\nsearch: { fields: { word: 2, page: 1, wort: 3 } }',
    [
      'things.yaml [page] not_searchable: "page" (integer) is not text (search looks for parts of words; use filters for other fields)',
      'things.yaml [wort] unknown_field: "things" has no field or relation "wort" (did you mean "word"?)',
    ],
  )
})

mistaken('a search in nothing, and an order for which nobody can ask, are told of', () => {
  const warned = (text: string) =>
    mistakes({ things: `fields: { name: { type: string }, n: { type: integer } }\n${text}\n${VIEW}` }, 'warning')
  assert.equal(warned('search: []'), [
    'things.yaml [[]] not_searchable: "search" names no fields, so nobody can search (name those in which it looks, or take it away)',
  ])
  assert.equal(warned('sort: { keys: [name], default: -n }'), [
    'things.yaml [-n] not_sortable: Lists begin in the order of "-n", for which nobody can ask (name it under "keys" too)',
  ])
  assert.is(warned('sort: { keys: [name], default: [name, n] }').length, 1)
  for (const sort of [
    '{ keys: [name, n], default: -n }',
    '{ default: n }',
    '{ keys: [name], default: -id }',
    '{ keys: [name] }',
  ])
    assert.equal(warned(`sort: ${sort}\nsearch: [name]`), [])
})

mistaken.run()
