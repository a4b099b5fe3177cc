/** Mistakes in what a list offers: what cannot be summed up, and weights of what is no text. */
import { suite } from 'uvu'
import { saysOfThings as says } from './resolves.ts'

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

mistaken.run()
