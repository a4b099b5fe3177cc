/** Sequences that once failed, by name: the same commands as those that are drawn. */
import type { Write } from './client.ts'
import type { Change, Sequence, Step, Way } from './draw.ts'
import type { Kind } from './kinds.ts'
import type { Making } from './made.ts'

type ShortChange = readonly [kind: Kind, a?: number, b?: number]

const change = ([kind, a = 0, b = 0]: ShortChange): Change => ({ kind, a, b })

const created = (...values: readonly number[]): readonly Write[] =>
  values.map((value) => ({ what: 'create', at: 0, values: value }))

const made = (what: Making['what'], at = 0): readonly Making[] => [{ what, at }]

const createdIn = (at: number, ...values: readonly number[]): readonly Write[] =>
  created(...values).map((write) => ({ ...write, at }))

interface ShortStep {
  readonly writes?: readonly Write[]
  readonly makes?: readonly Making[]
  readonly changes?: readonly ShortChange[]
  readonly back?: number
  readonly way?: Way
  readonly word?: boolean
}

function step({ writes = [], makes = [], changes = [], back = 0, way = 'reload', word = true }: ShortStep): Step {
  return { writes, makes, changes: changes.map(change), back, way, word, at: 80, onward: true }
}

function sequence(resources: number, built: readonly ShortChange[], ...steps: readonly ShortStep[]): Sequence {
  return { resources, built: built.map(change), steps: steps.map(step) }
}

/** Numbers that draw a value of a string, and none. */
const [TWO, WORD, NO_STRING] = [0, 1, 7]
const NO_MOMENT = 2
/** Draws none for either of two strings. */
const NO_STRINGS = 103
/** Draws a number when a record is made, and the same again when it is changed. */
const SAME = 2

export const CASES: Readonly<Record<string, Sequence>> = {
  'a rename beside a required field that is filled from it, where one record has nothing': sequence(
    1,
    [['add_field']],
    { writes: created(WORD, NO_STRING), changes: [['rename_field'], ['add_required_copied']] },
  ),
  'the file before a rename is put back': sequence(
    1,
    [['add_field']],
    { writes: created(WORD), changes: [['rename_field']] },
    { writes: created(TWO), back: 1 },
  ),
  'the file before a rename is put back, and the program starts on it': sequence(
    1,
    [['add_field']],
    { writes: created(WORD), changes: [['rename_field']] },
    { writes: created(TWO), back: 1, way: 'restart' },
  ),
  'the file before a renamed relation is put back': sequence(
    1,
    [['add_one']],
    { writes: created(0, 0), changes: [['rename_one']] },
    { back: 1 },
  ),
  'the file before a renamed resource is put back': sequence(
    1,
    [['add_field']],
    { writes: created(WORD), changes: [['rename_resource']] },
    { back: 1 },
  ),
  'a renamed resource keeps its links': sequence(1, [['add_many']], {
    writes: created(0, 0),
    changes: [['rename_linked_resource']],
  }),
  'a renamed resource keeps the links of a joining table with a name': sequence(1, [['add_many_through']], {
    writes: created(0, 0),
    changes: [['rename_linked_resource']],
  }),
  'links keep to a relation that is renamed': sequence(1, [['add_many']], {
    writes: created(0, 0),
    changes: [['rename_many']],
  }),
  'a renamed resource does not make its seeds again': sequence(1, [['add_field'], ['add_seed']], {
    writes: [{ what: 'delete', at: 0, values: 0 }],
    changes: [['rename_seeded_resource']],
  }),
  'deleted records are not served without a word': sequence(1, [['soft_delete']], {
    writes: [...created(0), { what: 'delete', at: 0, values: 0 }],
    changes: [['no_soft_delete']],
  }),
  'a relation gets another target': sequence(2, [['add_one', 0, 0]], {
    writes: [...created(0, 0, 0), ...createdIn(1, 0, 0, 0)],
    changes: [['retarget_one']],
  }),
  'a name of 49 letters goes and comes back': sequence(
    1,
    [['add_long_name']],
    { writes: created(WORD), changes: [['remove_field']], way: 'apply' },
    { back: 1 },
  ),
  'two names of 49 letters that begin alike go together': sequence(1, [['add_long_name'], ['add_long_name']], {
    writes: created(WORD),
    changes: [['remove_field'], ['remove_field']],
    way: 'apply',
  }),
  'texts become numbers of a sequence, and the next number is free': sequence(
    1,
    [['add_field']],
    { writes: created(TWO), changes: [['string_to_sequence']] },
    { writes: created(0, 0, 0) },
  ),
  'a moment becomes a day': sequence(1, [['add_field', 0, 5]], {
    writes: created(1),
    changes: [['moment_to_day']],
  }),
  'a day becomes a word of an enum': sequence(1, [['add_field', 0, 4]], {
    writes: created(0),
    changes: [['retype_to_words']],
  }),
  'another table': sequence(1, [['add_field']], { writes: created(WORD), changes: [['other_table']] }),
  'another column': sequence(1, [['add_field']], { writes: created(WORD), changes: [['other_column']] }),
  'another key of a relation': sequence(1, [['add_one']], { writes: created(0, 0), changes: [['other_key']] }),
  'another joining table': sequence(1, [['add_many']], { writes: created(0, 0), changes: [['other_through']] }),
  'an idle session beside a rename': sequence(1, [['add_field']], {
    writes: created(WORD),
    changes: [['rename_field']],
    way: 'idle session',
  }),
  'a second instance beside a rename': sequence(1, [['add_field']], {
    writes: created(WORD),
    changes: [['rename_field']],
    way: 'second instance',
  }),
  'another column whose type starts anew': sequence(1, [['add_field', 0, 3]], {
    writes: created(0),
    changes: [['other_column'], ['retype_field', 0, 6]],
  }),
  'another name of a field whose type starts anew': sequence(1, [['add_field', 0, 3]], {
    writes: created(0),
    changes: [['rename_field'], ['retype_field', 0, 6]],
  }),
  'a field becomes required and is filled from one that is new too': sequence(1, [['add_field']], {
    writes: created(WORD),
    changes: [['add_field'], ['require_copied']],
  }),
  'a computed column goes that somebody reads': sequence(
    1,
    [
      ['add_field', 0, 1],
      ['add_stored', 0, 0],
    ],
    { writes: created(0), makes: made('view', 1), changes: [['remove_stored']], way: 'apply' },
    { makes: made('nothing'), changes: [['add_field']], way: 'apply' },
  ),
  'a computed column that somebody reads is computed from a renamed field': sequence(
    1,
    [
      ['add_field', 0, 1],
      ['add_stored', 0, 0],
    ],
    { writes: created(0), makes: made('view', 1), changes: [['rename_field']] },
  ),
  'a computed column that somebody reads was left behind over a field that gets another type': sequence(
    1,
    [
      ['add_field', 0, 1],
      ['add_stored', 0, 0],
    ],
    { writes: created(0), makes: made('view', 1), changes: [['remove_stored']] },
    { changes: [['retype_field']] },
  ),
  'a computed column was left behind over a field that gets another name and then another type': sequence(
    1,
    [
      ['add_field', 0, 1],
      ['add_stored', 0, 0],
    ],
    { writes: created(0), changes: [['remove_stored']] },
    { changes: [['rename_field']] },
    { changes: [['retype_field']] },
  ),
  'somebody reads words of which none has gone': sequence(
    1,
    [['add_field', 0, 6]],
    { writes: created(0), changes: [['words_become']] },
    { makes: made('view'), changes: [['add_field']] },
  ),
  'a field becomes required and all records meet in what is unique among some': sequence(
    1,
    [
      ['add_field', 0, 0],
      ['add_field', 0, 3],
      ['add_partial', 0, 1],
    ],
    { writes: created(1, 17), changes: [['require_backfilled', 1, 1]] },
  ),
  'days end before they begin where no two may overlap': sequence(1, [['add_days'], ['add_days']], {
    writes: created(21),
    changes: [['add_apart']],
  }),
  'days that become required meet where no two may overlap': sequence(1, [['add_days'], ['add_days'], ['add_apart']], {
    writes: created(0, 20),
    changes: [
      ['require_backfilled', 1, 1],
      ['require_backfilled', 0, 0],
    ],
  }),
  'a required field gets the type before again, and is filled from one that has nothing': sequence(
    1,
    [['add_field', 0, 5]],
    { writes: created(0), changes: [['add_required_copied']] },
    { changes: [['retype_field', 0, 4]] },
    { writes: created(NO_MOMENT), back: 1 },
  ),
  'a field becomes required and is filled from one that gets another type': sequence(
    1,
    [
      ['add_field', 0, 3],
      ['add_field', 0, 2],
    ],
    {
      writes: created(NO_MOMENT),
      changes: [
        ['retype_field', 1, 2],
        ['require_copied', 0],
      ],
    },
  ),
  'a record is sent the value that it has, which another one is to follow': sequence(
    1,
    [['add_field', 0, 1]],
    { writes: created(SAME), changes: [['add_follow']], way: 'restart' },
    { writes: [{ what: 'update', at: 0, values: SAME }] },
  ),
  'a value follows another one while a version is refused': sequence(
    1,
    [
      ['add_field', 0, 1],
      ['add_field', 0, 7],
    ],
    { writes: created(SAME), changes: [['add_follow']], way: 'restart' },
    { changes: [['retype_to_words']] },
  ),
  'a relation to one record becomes one to many': sequence(2, [['add_one', 0, 1]], {
    writes: [...createdIn(1, 0, 1), ...created(0, 0, 1)],
    changes: [
      ['remove_one', 0],
      ['add_many_through', 0, 1],
    ],
  }),
  'a relation to one record becomes one to many from there, of a version between': sequence(
    2,
    [['add_one', 0, 1]],
    { writes: [...createdIn(1, 0, 1), ...created(0, 0, 1)], changes: [['remove_one', 0]] },
    { changes: [['add_many', 1, 0]] },
  ),
  'a relation to one record is set aside, and one to many comes': sequence(
    2,
    [['add_one', 0, 1]],
    { writes: [...createdIn(1, 0, 1), ...created(0, 0, 1)], changes: [['remove_one', 0]], way: 'apply' },
    { changes: [['add_many_through', 0, 1]] },
  ),
  'a field becomes required and is filled from one that becomes required and is filled': sequence(
    1,
    [['add_field'], ['add_field']],
    {
      writes: created(NO_STRINGS),
      changes: [
        ['require_copied', 0],
        ['require_backfilled', 0, 1],
      ],
    },
  ),
  'a field gets the type of one that gets another name, and is filled from it': sequence(
    1,
    [
      ['add_required', 0, 7],
      ['add_field', 0, 1],
    ],
    {
      writes: created(2),
      changes: [
        ['rename_field', 1],
        ['retype_copied', 0],
      ],
    },
  ),
  'a relation to many goes and another comes, whose links have the same table': sequence(
    1,
    [['add_many']],
    { writes: created(0, 0), changes: [['remove_many'], ['add_many', 0, 12]], word: false },
    { writes: created(0), changes: [['remove_many'], ['add_many', 0, 12]] },
    { back: 1 },
  ),
  'a relation to many gets another table, and another one its table': sequence(1, [['add_many']], {
    writes: created(0, 0),
    changes: [['other_through'], ['add_many', 0, 12]],
  }),
  'a field gets the type of one that gets it too, and is filled from it': sequence(
    1,
    [
      ['add_required', 0, 7],
      ['add_field', 0, 2],
    ],
    {
      writes: created(2),
      changes: [
        ['retype_field', 1, 2],
        ['retype_copied', 0],
      ],
    },
  ),
}
