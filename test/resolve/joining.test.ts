/** Mistakes in a resource whose table joins two others. */
import { suite } from 'uvu'
import { saysOfThings as says, VIEW } from './resolves.ts'

const mistaken = suite('mistakes in joining tables')

mistaken('a resource that joins two others can hold each pair, once', () => {
  const joins = (loans: string, said: string): void => {
    const files = { people: VIEW, loans: `${loans}\n${VIEW}` }
    says(
      'relations: { readers: { many_to_many: people, through: loans } }',
      [`things.yaml [loans] wrong_relation: ${said}`],
      files,
    )
  }
  const sides = 'thing: { belongs_to: things, required: true }, person: { belongs_to: people, required: true }'
  const unique = 'indexes: [{ fields: [thing_id, person_id], unique: true }]'
  joins(
    'relations: { thing: { belongs_to: things } }',
    '"loans" cannot join the two: it has no belongs_to relation with the column "person_id" (let it belong to both sides, or name a table that is no resource’s)',
  )
  joins(
    `relations: { ${sides} }`,
    '"loans" cannot join the two: it may hold a pair twice (add to it: indexes: [{ fields: [thing_id, person_id], unique: true }])',
  )
  joins(
    `relations: { ${sides} }\n${unique}\nsoft_delete: true`,
    '"loans" cannot join the two: it keeps what is deleted (take "soft_delete" away)',
  )
  joins(
    `fields: { days: { type: integer, required: true } }\nrelations: { ${sides} }\n${unique}`,
    '"loans" cannot join the two: a pair has no value for its field "days" (give the field a default, or let it be null)',
  )
})

mistaken.run()
