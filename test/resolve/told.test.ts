/** What authors are told of files that nothing would complain of later: no request is refused, and nothing happens as it was meant. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Field, Filter } from '../../engine/catalog/catalog.ts'
import { neverHolds } from '../../engine/resolve/judge/satisfiable.ts'
import { truthOf } from '../../engine/resolve/judge/truth.ts'
import { application } from '../plugin/application.ts'

const told = suite('what authors are told')

const APP = `name: Clinic
prefix: /api
plugins: { timestamps: {}, soft_delete: {}, mail: {}, auth: { roles: [admin, doctor, patient] } }
`

const ROLES = `resource: roles
seeds:
  key: slug
  rows:
    - { name: Administrator, slug: admin, permissions: ["*"] }
    - { name: Doctor, slug: doctor, permissions: [visits.view, visits.write] }
    - { name: Patient, slug: patient, permissions: [] }
`

interface Parts {
  readonly view?: string
  readonly create?: string
  readonly update?: string
  readonly extra?: string
  readonly relations?: string
  readonly more?: string
}

const FOR_DOCTORS = '[{ permission: visits.write }]'

function visits({
  create = FOR_DOCTORS,
  extra = '',
  more = '',
  relations = '',
  update = FOR_DOCTORS,
  view,
}: Parts): string {
  return `resource: visits
actions: [list, get, create, update]
fields:
  reason: { type: string, required: true }
  status: { type: enum, values: [booked, seen, cancelled], default: booked, nullable: false }
  ends_at: { type: timestamp }
  size: { type: enum, values: [small, large], default: small, nullable: false }
  stars: { type: integer, min: 1, max: 5 }
  ${extra}
relations:
  patient: { belongs_to: users }
${relations}policies:
  view: ${view ?? '[{ permission: visits.view }]'}
  create: ${create}
  update: ${update}
${more}`
}

/** What `plinth check` says of these visits: each message behind the word that it is about. */
async function says(parts: Parts): Promise<readonly string[]> {
  const files = { 'resources/app.yaml': APP, 'resources/roles.yaml': ROLES, 'resources/visits.yaml': visits(parts) }
  const app = application(files)
  try {
    const { diagnostics } = await app.boot()
    return diagnostics.map(({ message }) => message)
  } finally {
    app.remove()
  }
}

const rules = (text: string): Parts => ({ more: `rules:\n${text}` })
const moves = (text: string): string => `moves:\n  status:\n    says: no\n    allow:\n${text}`
const acts = (text: string): Parts => ({ more: `automations:\n  x:\n${text}` })

const CASES: readonly (readonly [what: string, parts: Parts, ...messages: string[]])[] = [
  ['nothing', {}],
  [
    'an alternative that contradicts the rest of its condition',
    {
      view: '[{ permission: visits.view, where: { status: booked, any: [{ status: seen }, { status: cancelled }] } }]',
    },
    'No record fulfils this: "status" cannot be booked and seen',
  ],
  [
    'one of several alternatives that does not',
    { view: '[{ permission: visits.view, where: { status: booked, any: [{ status: seen }, { stars: 1 }] } }]' },
  ],
  [
    'a condition and its opposite',
    { view: '[{ permission: visits.view, where: { status: booked, not: { status: booked } } }]' },
    'No record fulfils this: "status" cannot be booked and other than booked',
  ],
  [
    'the word of a role that no seed has',
    { view: '[{ permission: visits.view, where: { patient.role.slug: pateint } }]' },
    'No seed of "roles" has the slug "pateint"',
  ],
  ['a word that is near to none', { view: '[{ permission: visits.view, where: { patient.role.slug: nurse } }]' }],
  [
    'a default that names no seed',
    { relations: '  helper: { belongs_to: roles, default: { slug: docter } }\n' },
    'No seed of "roles" has the slug "docter"',
  ],
  [
    'a rule that another one says already',
    rules('  one: { must: { stars: { gte: 2 } }, says: a }\n  two: { must: { stars: { gte: 2 } }, says: b }\n'),
    'The rule "one" asks for this already',
  ],
  [
    'a rule whose conditions contradict each other',
    rules('  one: { when: { status: seen }, must: { status: booked }, says: a }\n'),
    'No record that the rule "one" is about keeps it: "status" cannot be seen and booked',
  ],
  [
    'a rule that forbids changes',
    rules(
      '  one: { on: [update], changed: reason, when: { status: seen }, must: { status: { ne: seen } }, says: a }\n',
    ),
  ],
  [
    'an automation that a rule always refuses',
    {
      more: 'rules:\n  one: { must: { stars: { gte: 3 } }, says: too few }\nautomations:\n  x: { at: ends_at, set: { stars: 1 } }\n',
    },
    'The rule "one" refuses this each time: too few',
  ],
  [
    'a clause that sets what a rule refuses',
    {
      create: '[{ permission: visits.write, set: { stars: 1 } }]',
      more: 'rules:\n  one: { must: { stars: { gte: 3 } }, says: too few }\n',
    },
    'The rule "one" refuses this each time: too few',
  ],
  [
    'what follows and breaks a rule',
    {
      more: 'rules:\n  one: { when: { status: seen }, must: { stars: { gte: 3 } }, says: few }\nfollows:\n  - { when: { status: seen }, set: { stars: 1 } }\n',
    },
    'The rule "one" refuses this each time: few',
  ],
  [
    'what follows and keeps it',
    {
      more: 'rules:\n  one: { when: { status: seen }, must: { stars: { gte: 3 } }, says: few }\nfollows:\n  - { when: { status: seen }, set: { stars: 4 } }\n',
    },
  ],
  [
    'conditions of an automation that contradict each other',
    acts('    at: ends_at\n    when: { status: seen, any: [{ status: booked }] }\n    set: { stars: 1 }\n'),
    'No record fulfils all that this automation asks for: "status" cannot be seen and booked',
  ],
  [
    'a change to the word that is there',
    acts('    on: [update]\n    changed: { status: { from: seen, to: seen } }\n    set: { stars: 1 }\n'),
    'Staying seen is no change, so no write sets this off',
  ],
  [
    'a move of somebody who changes nothing',
    {
      more: moves(
        '      - { role: doctor, from: any, to: any }\n      - { role: patient, from: booked, to: cancelled }\n',
      ),
    },
    'No clause of update is for "patient", so this move lets nobody do anything',
  ],
  [
    'what follows although no move leads there',
    {
      more: `${moves('      - { from: booked, to: [seen, cancelled] }\n')}follows:\n  - { changed: stars, set: { status: booked } }\n`,
    },
    'No move of "status" leads to "booked", so an update is refused each time',
  ],
  [
    'words of an enum that people take for one',
    { extra: 'state: { type: enum, values: [open, in_work, Open, o-pen, In-Work] }' },
    '"Open" and "open" are two words, and people take them for one',
    '"In-Work" and "in_work" are two words, and people take them for one',
  ],
  [
    'a sign in the middle of a text that hides a bracket',
    rules('  one: { must: { stars: { gte: 3 } }, says: Room #1 is taken }\n'),
    'A comment begins here, and hides the "}" in it',
  ],
]

for (const [what, parts, ...messages] of CASES) {
  told(`${messages.length === 0 ? 'nothing' : 'something'} is said of ${what}`, async () => {
    const said = await says(parts)
    assert.equal(said, messages)
  })
}

const WORDS = { status: ['booked', 'seen', 'cancelled'], size: ['small', 'large'] } as const

type Name = keyof typeof WORDS

/** Filters over the two fields with words. */
function filtersOver(fields: Readonly<Record<Name, Field>>): fc.Arbitrary<Filter> {
  const compared = (name: Name): fc.Arbitrary<Filter> => {
    const path = { relations: [], field: fields[name] }
    const one = fc.constantFrom(...WORDS[name])
    const some = fc.subarray([...WORDS[name]], { minLength: 1 })
    return fc
      .oneof(
        fc.tuple(fc.constantFrom('eq' as const, 'ne' as const), one),
        fc.tuple(fc.constantFrom('in' as const, 'not_in' as const), some),
      )
      .map(([operator, value]) => ({ kind: 'compare', path, operator, operand: { kind: 'literal', value } }))
  }
  return fc.letrec<{ filter: Filter }>((tie) => ({
    filter: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom<Name>('status', 'size').chain(compared),
      fc.record({ kind: fc.constant('not' as const), of: tie('filter') }),
      fc.record({
        kind: fc.constantFrom('and' as const, 'or' as const),
        of: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }),
      }),
    ),
  })).filter
}

told('a condition that is called impossible is one for every record', async () => {
  const app = application({
    'resources/app.yaml': APP,
    'resources/roles.yaml': ROLES,
    'resources/visits.yaml': visits({}),
  })
  const { value } = await app.boot()
  app.remove()
  const { fields } = value!.catalog.resources.get('visits')!
  const records = WORDS.status.flatMap((status) => WORDS.size.map((size) => ({ status, size })))
  let never = 0
  fc.assert(
    fc.property(filtersOver({ status: fields.get('status')!, size: fields.get('size')! }), (one) => {
      const why = neverHolds(one)
      if (why === undefined) return
      never += 1
      for (const record of records)
        assert.is(
          truthOf(one, ({ name }) => record[name as Name]),
          false,
          JSON.stringify([record, why]),
        )
    }),
    { numRuns: 3_000 },
  )
  assert.ok(never > 50, String(never))
})

told.run()
