/**
 * ⇄ Budgets of mails: for the acts of one person, for strangers, and in total. A mail above a budget waits, and staff
 * can be told.
 */
import { isObject, type JobContext, type JsonObject, type JsonSchema } from '../../engine/index.ts'

/** The person whose act caused a mail to another, and the kind of recipient. */
export interface Cause {
  readonly by: number | undefined
  /** Whether the address belongs to nobody whom the application knows. */
  readonly stranger: boolean
  /** Whether it invites to a new account: staff who invite two hundred people do their work. */
  readonly invites: boolean
}

/** The default budgets. */
const STANDARD = { person_hour: 50, invitations_day: 500, strangers_day: 20, day: 2_000 } as const

const most = (name: keyof typeof STANDARD, description: string): Readonly<Record<string, JsonSchema>> => ({
  [name]: { type: 'integer', minimum: 1, maximum: 10_000_000, default: STANDARD[name], description },
})

/** The option `budgets`. */
export const BUDGETS: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  default: {},
  description:
    'How many mails leave; what is over waits for the next hour or day. Links for passwords and addresses do not wait.',
  properties: {
    ...most('person_hour', 'Mails to others that the acts of one person cause within an hour, without invitations.'),
    ...most('invitations_day', 'Invitations to new accounts that one person causes within a day.'),
    ...most('strangers_day', 'Copies that they cause within a day to addresses that belong to no account or contact.'),
    ...most('day', 'All mails within a day.'),
  },
}

const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000

interface Bucket {
  readonly name: string
  readonly most: number
  readonly ms: number
  /** The beginning of a sentence about what is counted. */
  readonly what: string
}

function bucketsOf(options: JsonObject, { by, invites, stranger }: Cause): readonly Bucket[] {
  const given = isObject(options.budgets) ? options.budgets : {}
  const limit = (name: keyof typeof STANDARD): number => Number(given[name] ?? STANDARD[name])
  const person = by === undefined ? 'people without an account' : `the account ${by}`
  const all = { name: 'all', most: limit('day'), ms: DAY_MS, what: 'mails of the application' }
  const own = invites
    ? {
        name: `invitations ${by}`,
        most: limit('invitations_day'),
        ms: DAY_MS,
        what: `invitations by ${person}`,
      }
    : {
        name: `person ${by}`,
        most: limit('person_hour'),
        ms: HOUR_MS,
        what: `mails to others by acts of ${person}`,
      }
  const copies = {
    name: `strangers ${by ?? ''}`.trim(),
    most: limit('strangers_day'),
    ms: DAY_MS,
    what: `copies to unknown addresses by acts of ${person}`,
  }
  return [all, ...(by === undefined ? [] : [own]), ...(stranger ? [copies] : [])]
}

/** Takes nothing from any bucket, because one is empty. */
class Spent extends Error {
  readonly bucket: Bucket

  constructor(bucket: Bucket) {
    super('a budget of mails is spent')
    this.bucket = bucket
  }
}

type Here = Pick<JobContext, 'catalog' | 'database' | 'now' | 'options' | 'records' | 'transaction'>

/** Takes a mail out of its budgets; returns when it may leave where one is empty, which is noted for staff. */
export async function heldUntil(context: Here, cause: Cause): Promise<Date | undefined> {
  const buckets = bucketsOf(context.options, cause)
  const beginning = ({ ms }: Bucket): Date => new Date(Math.floor(context.now().getTime() / ms) * ms)
  const { table } = context.catalog.resources.get('mail_budgets')!
  const text = `insert into "${table}" as b (bucket, begins_at, sent) select w.bucket, w.begins_at, 1
    from unnest($1::text[], $2::timestamptz[]) w(bucket, begins_at) order by w.bucket
    on conflict (bucket, begins_at) do update set sent = b.sent + 1 returning b.bucket, b.sent`
  const values = [buckets.map(({ name }) => name), buckets.map((one) => beginning(one).toISOString())]
  try {
    await context.transaction(async ({ transaction }) => {
      const taken = new Map(
        (await transaction.run({ text, name: 'mail budgets' }, values)).map(([name, sent]) => [name, sent]),
      )
      const over = buckets.find(({ most, name }) => Number(taken.get(name)) > most)
      if (over !== undefined) throw new Spent(over)
    })
    return undefined
  } catch (error) {
    if (!(error instanceof Spent)) throw error
    const begins = beginning(error.bucket)
    const until = new Date(begins.getTime() + error.bucket.ms)
    await note(context, error.bucket, begins, until)
    return until
  }
}

/** Notes once that mails wait, in the row of the budget: a file of the application may tell staff by `notify`. */
async function note(
  { catalog, database, records }: Here,
  { most, name, what }: Bucket,
  begins: Date,
  until: Date,
): Promise<void> {
  const { table } = catalog.resources.get('mail_budgets')!
  const text = `select id from "${table}" where bucket = $1 and begins_at = $2::timestamptz and not is_spent`
  const [row] = await database.adhoc.run({ text }, [name, begins.toISOString()])
  if (row === undefined) return
  const sentence = `${most} ${what} have been sent; more wait until ${until.toISOString().slice(0, 16).replace('T', ' ')} UTC`
  await records('mail_budgets', 'system').update(Number(row[0]), { is_spent: true, sentence })
}
