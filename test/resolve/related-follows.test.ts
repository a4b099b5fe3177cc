/** What authors read about entries of `follows` that set values of another record. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { mistakes, resourceOf, VIEW } from './resolves.ts'

const test = suite('mistakes in what follows elsewhere')

const TICKETS = `fields: { subject: { type: string }, uid: { type: sequence, start: 1 }, made: { type: string, immutable: true }, answered_at: { type: timestamp }, seconds: { type: integer } }
relations: { owner: { belongs_to: owners }, comments: { has_many: comments } }`
const OWNERS = `fields: { name: { type: string }, wrote_at: { type: timestamp } }\n${VIEW}`
const COMMENTS = `fields: { text: { type: string }, price: { type: decimal, precision: 9, scale: 2 } }
relations: { ticket: { belongs_to: tickets } }`
const says = (entry: string, expected: readonly string[], ofTickets = '[]') =>
  assert.equal(
    mistakes({
      tickets: `${TICKETS}\nfollows: ${ofTickets}\n${VIEW}`,
      comments: `${COMMENTS}\nfollows:\n  - ${entry}\n${VIEW}`,
      owners: OWNERS,
    }),
    expected,
  )

test('an entry that fits has no mistakes, and knows what it is about', () => {
  const files = {
    tickets: `${TICKETS}\n${VIEW}`,
    comments: `${COMMENTS}\nfollows: [{ of: ticket.owner, permission: tickets.comment, when: { ticket.subject: x }, set: { wrote_at: $now } }]\n${VIEW}`,
    owners: OWNERS,
  }
  const { follows, relatedFollows } = resourceOf(files, 'comments')
  assert.is(follows.length, 0)
  assert.equal(
    relatedFollows.map(({ target, way, access }) => [target, way, access]),
    [['owners', 'ticket.owner', [{ kind: 'permission', permission: 'tickets.comment' }]]],
  )
})

test('the relation must be there, and lead to one record', () => {
  says('{ of: tickt, set: { answered_at: $now } }', [
    'comments.yaml [tickt] unknown_field: "comments" has no field or relation "tickt" (did you mean "ticket"?)',
  ])
  says('{ of: text, set: { answered_at: $now } }', [
    'comments.yaml [text] wrong_path: "text" is no relation (name a belongs_to relation, or several as in conversation.ticket)',
  ])
  says('{ of: ticket.comments, set: { text: x } }', [
    'comments.yaml [ticket.comments] wrong_path: "comments" leads to many records and is no value of one "tickets"',
  ])
})

test('values go to fields of the other record, and are made of the written one', () => {
  says('{ of: ticket, set: { text: x, answerd_at: $now } }', [
    'comments.yaml [text] unknown_field: "tickets" has no field or relation "text"',
    'comments.yaml [answerd_at] unknown_field: "tickets" has no field or relation "answerd_at" (did you mean "answered_at"?)',
  ])
  says('{ of: ticket, set: { uid: 5 } }', [
    'comments.yaml [uid] unknown_field: "uid" is given by the database and cannot be set',
  ])
  says('{ of: ticket, set: { made: x } }', [
    'comments.yaml [made] wrong_rule: "made" cannot be changed once it is stored',
  ])
  says('{ of: ticket, set: { seconds: $record.price } }', [
    'comments.yaml [$record.price] wrong_value: "seconds" (integer) would cut what "price" (decimal) holds',
  ])
  says('{ of: ticket, set: { subject: $record.subject } }', [
    'comments.yaml [$record.subject] unknown_field: "comments" has no field or relation "subject"',
  ])
  says('{ of: ticket, when: { subject: x }, set: { subject: y } }', [
    'comments.yaml [subject] unknown_field: "comments" has no field or relation "subject"',
  ])
})

test('what was stored before is gone when the other record is judged', () => {
  says('{ of: ticket, set: { subject: $before.text } }', [
    'comments.yaml [$before.text] invalid_filter: With "of" a record is judged when it is written, and nothing of "$before" is left (it is what is stored before an update: take it into a rule about updates)',
  ])
})

test('who writes is asked of entries for other records alone', () => {
  says('{ role: customer, set: { text: x } }', [
    'comments.yaml [role] wrong_rule: "role" goes with "of" alone (what follows in the record itself follows for every writer)',
  ])
})

test('a delete or restore sets values in other records alone', () => {
  says('{ on: [create, delete], set: { text: x } }', [
    'comments.yaml [delete] wrong_rule: "delete" goes with "of" alone (what a delete sets in the record itself is written under delete_sets)',
  ])
  says('{ of: ticket, on: [delete, restore], set: { subject: x } }', [])
})

test('entries that would set each other off for ever are refused, those that end are not', () => {
  const back = '[{ of: owner, set: { wrote_at: $now } }]'
  says('{ of: ticket, set: { answered_at: $now } }', [], back)
  assert.equal(
    mistakes({
      things: `fields: { n: { type: integer }, m: { type: integer } }\nrelations: { parent: { belongs_to: things } }\nfollows:\n  - { of: parent, set: { n: 1 } }\n  - { of: parent, on: [create], set: { n: 2 } }\n  - { of: parent, changed: m, set: { n: 3 } }\n${VIEW}`,
    }),
    [
      'things.yaml [{ of: parent, set: { n: 1 } }] follow_cycle: What follows here sets itself off again: things.yaml:5 → things.yaml:5 (say with "changed" which fields it waits for, or with "on" for which writes)',
    ],
  )
  // What is written already is not proposed.
  assert.equal(
    mistakes({
      things: `fields: { n: { type: integer } }\nrelations: { parent: { belongs_to: things } }\nfollows:\n  - { of: parent, changed: n, on: [update], set: { n: 1 } }\n${VIEW}`,
    }),
    [
      'things.yaml [{ of: parent, changed: n, on: [update], set: { n: 1 } }] follow_cycle: What follows here sets itself off again: things.yaml:5 → things.yaml:5 (it waits for "n", which things.yaml:5 sets: let it wait for other fields, or for new records alone with on: [create])',
    ],
  )
  const circle = mistakes({
    tickets: `fields: { n: { type: integer }, m: { type: integer } }\nrelations: { owner: { belongs_to: owners } }\nfollows:\n  - { set: { m: $record.n } }\n  - { of: owner, changed: m, set: { n: 1 } }\n${VIEW}`,
    owners: `fields: { n: { type: integer } }\nrelations: { ticket: { belongs_to: tickets } }\nfollows:\n  - { of: ticket, changed: n, set: { n: 2 } }\n${VIEW}`,
  })
  assert.is(circle.length, 2)
  assert.not.match(circle.join(), 'say with')
  assert.match(
    circle.join('\n'),
    /follow_cycle: What follows here sets itself off again: owners\.yaml:5 → tickets\.yaml:6 → owners\.yaml:5/,
  )
})

test.run()
