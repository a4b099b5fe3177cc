/** Routes of a person's notification settings: the channels for each kind. */
import type { FieldDefinition, JsonSchema, Route, RouteContext } from '../../../engine/index.ts'
import { KINDS, optionsOf, TYPES } from './options.ts'
import { isReach, REACHES, type Reach } from './reach.ts'

const OWN = [{ kind: 'permission', permission: 'notifications.own' }] as const

const WORDS =
  '`list`, `mail`, `both` or `neither`; `default`: in the list, and by mail what concerns one personally, as the application is set up.'

/** The description of a kind that files of the application add. */
const ADDED = 'Made by this application: `list`, `mail`, `both`, `neither`, or `default`, which its files decide.'

const KINDS_META: JsonSchema = {
  type: 'object',
  description: 'What a kind tells, and what `default` comes to.',
  additionalProperties: {
    type: 'object',
    required: ['description', 'default'],
    properties: { description: { type: 'string' }, default: { enum: ['both', 'list'] } },
  },
}

type Inside = Pick<RouteContext, 'actor' | 'catalog' | 'database'>

/** The schemas of a person's settings: the answer has one value for each kind, the body any of them. */
function schemasOf(kinds: readonly string[]) {
  const builtIn: Readonly<Record<string, string | undefined>> = KINDS
  const output: JsonSchema = {
    type: 'object',
    required: kinds,
    properties: Object.fromEntries(
      kinds.map((kind) => [
        kind,
        { type: 'string', enum: REACHES, ...(builtIn[kind] === undefined ? { description: ADDED } : {}) },
      ]),
    ),
  }
  const input = Object.fromEntries(
    kinds.map((kind): [string, FieldDefinition] => [
      kind,
      { type: 'enum', values: [...REACHES], nullable: false, description: builtIn[kind] ?? ADDED },
    ]),
  )
  return { input, output }
}

async function settingsOf(
  { actor, catalog, database }: Inside,
  kinds: readonly string[],
  knex = database.knex,
): Promise<Readonly<Record<string, Reach>>> {
  const { table } = catalog.resources.get('notification_settings')!
  const rows: readonly { type: string; reach: string }[] = await knex(table)
    .where({ user_id: Number(actor.id) })
    .select('type', 'reach')
  const chosen = new Map(rows.map(({ type, reach }) => [type, reach]))
  const reachOf = (kind: string): Reach => {
    const reach = chosen.get(kind)
    return isReach(reach) ? reach : 'default'
  }
  return Object.fromEntries(kinds.map((kind) => [kind, reachOf(kind)]))
}

/** The built-in kinds, with what `default` means for each; the rules of an added kind decide that one by one. */
function builtInKinds({ options }: RouteContext) {
  const { mail } = optionsOf(options)
  return Object.fromEntries(
    TYPES.map((kind) => [kind, { description: KINDS[kind], default: mail.has(kind) ? 'both' : 'list' }]),
  )
}

/** The routes by which people read and change their settings for these kinds. */
export function settingsRoutes(kinds: readonly string[]): readonly Route[] {
  const { input, output } = schemasOf(kinds)
  return [
    {
      method: 'GET',
      path: '/notifications/settings',
      summary: 'How one is told of each kind of notification',
      description: WORDS,
      tag: 'notifications',
      access: OWN,
      output,
      meta: { kinds: KINDS_META },
      handle: async (context) => ({ data: await settingsOf(context, kinds), meta: { kinds: builtInKinds(context) } }),
    },
    {
      method: 'PUT',
      path: '/notifications/settings',
      summary: 'Choose how one is told of some kinds of notification; the others stay as they are',
      description: WORDS,
      tag: 'notifications',
      access: OWN,
      input,
      output,
      meta: { kinds: KINDS_META },
      handle: async (context) => {
        const data = await context.transaction(async (inner) => {
          await change(inner, kinds, context.body)
          return settingsOf(inner, kinds, inner.transaction.knex)
        })
        return { data, meta: { kinds: builtInKinds(context) }, message: 'Notification settings saved' }
      },
    },
  ]
}

type InTransaction = Parameters<Parameters<RouteContext['transaction']>[0]>[0]

async function change(
  { actor, catalog, transaction: { knex } }: InTransaction,
  kinds: readonly string[],
  body: RouteContext['body'],
): Promise<void> {
  const { table } = catalog.resources.get('notification_settings')!
  const user = Number(actor.id)
  const chosen = kinds.flatMap((type) => (isReach(body[type]) ? [{ user_id: user, type, reach: body[type] }] : []))
  const usual = chosen.filter(({ reach }) => reach === 'default').map(({ type }) => type)
  const rows = chosen.filter(({ reach }) => reach !== 'default')
  if (usual.length > 0) await knex(table).where({ user_id: user }).whereIn('type', usual).delete()
  if (rows.length > 0) await knex(table).insert(rows).onConflict(['user_id', 'type']).merge(['reach'])
}
