/** Routes: how one wants to be told of each kind of notification. */
import type { FieldDefinition, JsonSchema, Route, RouteContext } from '../../../engine/index.ts'
import { KINDS, type NotificationType, optionsOf, TYPES } from './options.ts'
import { isReach, REACHES, type Reach } from './reach.ts'

const OWN = [{ kind: 'permission', permission: 'notifications.own' }] as const

const WORDS =
  '`list`, `mail`, `both` or `neither`; `default`: in the list, and by mail what concerns one personally, as the application is set up.'

const SETTINGS: JsonSchema = {
  type: 'object',
  required: [...TYPES],
  properties: Object.fromEntries(TYPES.map((type) => [type, { type: 'string', enum: REACHES }])),
}

const KINDS_META: JsonSchema = {
  type: 'object',
  description: 'What a kind tells, and what `default` comes to.',
  additionalProperties: {
    type: 'object',
    required: ['description', 'default'],
    properties: { description: { type: 'string' }, default: { enum: ['both', 'list'] } },
  },
}

const INPUT: Readonly<Record<string, FieldDefinition>> = Object.fromEntries(
  TYPES.map((type) => [type, { type: 'enum', values: [...REACHES], nullable: false, description: KINDS[type] }]),
)

type Inside = Pick<RouteContext, 'actor' | 'catalog' | 'database'>

async function settingsOf(
  { actor, catalog, database }: Inside,
  knex = database.knex,
): Promise<Readonly<Record<string, Reach>>> {
  const rows: readonly { type: string; reach: string }[] = await knex(
    catalog.resources.get('notification_settings')!.table,
  )
    .where({ user_id: Number(actor.id) })
    .select('type', 'reach')
  const reachOf = (type: string): Reach => {
    const found = rows.find((row) => row.type === type)?.reach
    return isReach(found) ? found : 'default'
  }
  return Object.fromEntries(TYPES.map((type) => [type, reachOf(type)]))
}

function kindsOf({ options }: RouteContext) {
  const { mail } = optionsOf(options)
  const kind = (type: NotificationType) => ({ description: KINDS[type], default: mail.has(type) ? 'both' : 'list' })
  return Object.fromEntries(TYPES.map((type) => [type, kind(type)]))
}

export const settingsRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/notifications/settings',
    summary: 'How one is told of each kind of notification',
    description: WORDS,
    tag: 'notifications',
    access: OWN,
    output: SETTINGS,
    meta: { kinds: KINDS_META },
    handle: async (context) => ({ data: await settingsOf(context), meta: { kinds: kindsOf(context) } }),
  },
  {
    method: 'PUT',
    path: '/notifications/settings',
    summary: 'Choose how one is told of some kinds of notification; the others stay as they are',
    description: WORDS,
    tag: 'notifications',
    access: OWN,
    input: INPUT,
    output: SETTINGS,
    meta: { kinds: KINDS_META },
    handle: async (context) => {
      const data = await context.transaction(async (inner) => {
        await change(inner, context.body)
        return settingsOf(inner, inner.transaction.knex)
      })
      return { data, meta: { kinds: kindsOf(context) }, message: 'Notification settings saved' }
    },
  },
]

type InTransaction = Parameters<Parameters<RouteContext['transaction']>[0]>[0]

async function change({ actor, catalog, transaction }: InTransaction, body: RouteContext['body']): Promise<void> {
  const { table } = catalog.resources.get('notification_settings')!
  const user = Number(actor.id)
  for (const type of TYPES) {
    const reach = body[type]
    if (reach === 'default') await transaction.knex(table).where({ user_id: user, type }).delete()
    else if (isReach(reach)) {
      const row = { user_id: user, type, reach }
      await transaction.knex(table).insert(row).onConflict(['user_id', 'type']).merge(['reach'])
    }
  }
}
