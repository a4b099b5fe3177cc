/** Recipients of an automation's mails: the entries of `to`, and the addresses of their accounts and records. */
import {
  type ActionContext,
  type ActionMistake,
  type ActionPlace,
  type Actor,
  type Catalog,
  endOf,
  type Field,
  nearest,
  pathOf,
  type Resource,
  relatedPath,
  SYSTEM,
  type Transaction,
} from '../../engine/index.ts'

/** The meaning of an entry of `to`. */
export type To =
  | { readonly kind: 'address'; readonly address: string }
  /** Records that a relation leads to; `field` has their addresses. */
  | { readonly kind: 'records'; readonly relation: string; readonly target: string; readonly field: string }
  | { readonly kind: 'accounts'; readonly relation: string; readonly target: string }
  /** A field of the record, or of one that it leads to. */
  | { readonly kind: 'field'; readonly path: string }

/** Whether a resource is that of the accounts, or a part of it. */
function isOfAccounts({ accounts, resources }: Catalog, { owner }: Resource): boolean {
  return accounts !== undefined && resources.get(accounts.resource)?.owner === owner
}

/** The meaning of an entry, or its mistake. */
export function readTo({ catalog, resource }: Pick<ActionPlace, 'catalog' | 'resource'>, entry: string): To | Mistake {
  if (entry.includes('@')) return addressIn(catalog, entry)
  const words = entry.split('.')
  const holder = words.length === 1 ? resource : ledTo(catalog, resource, words.slice(0, -1).join('.'))
  const last = words.at(-1) ?? ''
  const field = holder?.fields.get(last)
  if (holder !== undefined && field !== undefined && field.relation === undefined)
    return fieldIn(catalog, holder, field, entry)
  const target = ledTo(catalog, resource, entry)
  if (target === undefined) return nowhere(holder ?? resource, entry, last)
  if (isOfAccounts(catalog, target) && catalog.accounts?.address !== undefined)
    return { kind: 'accounts', relation: entry, target: target.name }
  return addressOf(target, entry)
}

type Mistake = Omit<ActionMistake, 'at'>

function addressIn({ fieldTypes }: Catalog, entry: string): To | Mistake {
  const decoded = fieldTypes.get('email')!.decode(entry, { name: 'to', required: true, nullable: false, own: {} })
  if ('error' in decoded) return { message: `"${entry}" is no e-mail address` }
  return { kind: 'address', address: String(decoded.value) }
}

function ledTo(catalog: Catalog, resource: Resource, path: string): Resource | undefined {
  try {
    const { many, relations } = relatedPath(catalog, resource, path)
    return endOf(catalog, resource, many === undefined ? relations : [many])
  } catch {
    return undefined
  }
}

function fieldIn(catalog: Catalog, holder: Resource, field: Field, entry: string): To | Mistake {
  if (!holdsAddresses(field)) return { message: `"${entry}" (${field.type.name}) holds no e-mail address` }
  if (isOfAccounts(catalog, holder) && entry.includes('.')) {
    const relation = entry.slice(0, entry.lastIndexOf('.'))
    return { message: `"${entry}" is the address of an account`, hint: `write ${relation}, which mails the account` }
  }
  try {
    pathOf(catalog, holder, field.name)
    return { kind: 'field', path: entry }
  } catch {
    return { message: `"${entry}" leads to several records`, hint: 'write the relation alone' }
  }
}

function holdsAddresses({ options, type }: Field): boolean {
  return type.name === 'email' || (type.name === 'list' && options.own.of === 'email')
}

/** The only field with addresses of a resource. */
function addressOf({ fields, name }: Resource, entry: string): To | Mistake {
  const all = [...fields.values()].filter(holdsAddresses)
  const field = all.find((one) => one.name === 'email') ?? all[0]
  if (field === undefined) return { message: `"${entry}" leads to ${name}, which have no e-mail address` }
  if (field.name !== 'email' && all.length > 1) {
    const expected = all.map((one) => `${entry}.${one.name}`)
    return { message: `"${name}" has several e-mail addresses`, expected }
  }
  return { kind: 'records', relation: entry, target: name, field: field.name }
}

function nowhere({ fields, name, relations }: Resource, entry: string, last: string): Mistake {
  const near = nearest(last, [
    ...relations.keys(),
    ...[...fields.values()].filter(holdsAddresses).map((one) => one.name),
  ])
  const hint = near === undefined ? 'name a relation, a field of type email, or an address' : `did you mean "${near}"?`
  return { message: `"${entry}" leads nowhere from "${name}"`, hint }
}

/** A recipient for a record; without an actor, an address of no account. */
export interface Recipient {
  /** Undefined where an automation acts without records. */
  readonly record: number | undefined
  readonly address: string
  readonly actor: Actor | undefined
  /** The language of an account. */
  readonly language?: string | undefined
  /** Whether people wrote the address into a field of a record. */
  readonly written?: boolean
}

/**
 * The recipients of all records of a batch; accounts first, so that an address that is named twice is that of the
 * account.
 */
export async function recipientsOf(context: ActionContext, to: readonly To[]): Promise<readonly Recipient[]> {
  const { work } = context
  const records = [...new Set(work.records.map(({ id }) => id))]
  const all: Recipient[] = []
  for (const one of to) {
    if (one.kind === 'accounts') all.push(...(await accountsAt(context, one.relation, records)))
    else if (one.kind === 'records') all.push(...(await recordsAt(context, one, records)))
    else if (one.kind === 'field')
      for (const found of await fieldsAt(context, work.resource.name, one.path, records))
        all.push({ ...found, written: true })
    else
      for (const record of records.length === 0 ? [undefined] : records)
        all.push({ record, address: one.address, actor: undefined })
  }
  return [...all.filter(({ actor }) => actor !== undefined), ...all.filter(({ actor }) => actor === undefined)]
}

/** Accounts that may sign in and have a confirmed address. */
async function accountsAt(
  context: ActionContext,
  path: string,
  records: readonly number[],
): Promise<readonly Recipient[]> {
  const { actorsOf, catalog, related, sightings, work } = context
  const { address, language, resource } = catalog.accounts!
  const links = await related(work.resource.name, path, records)
  const actors = await actorsOf(links.map((link) => Number(link.related)))
  const { confirmed, field } = address!
  const columns = [field, ...[language?.name, confirmed].flatMap((name) => name ?? [])]
  const seen = await sightings(
    resource,
    columns,
    actors.map(({ id }) => ({ record: Number(id), reader: SYSTEM })),
  )
  const known = new Map(
    actors.flatMap((actor, at) => {
      const values = seen[at] ?? []
      const [email] = values
      if (typeof email !== 'string' || (confirmed !== undefined && values.at(-1) !== true)) return []
      const reads = language !== undefined && typeof values[1] === 'string' ? { language: values[1] } : {}
      return [[actor.id, { actor, address: email, ...reads }] as const]
    }),
  )
  return links.flatMap(({ record, related: id }) => {
    const account = known.get(Number(id))
    return account === undefined ? [] : [{ record: Number(record), ...account }]
  })
}

async function recordsAt(
  { related, sightings, work }: ActionContext,
  { field, relation, target }: Extract<To, { kind: 'records' }>,
  records: readonly number[],
): Promise<readonly Recipient[]> {
  const links = await related(work.resource.name, relation, records)
  const seen = await sightings(
    target,
    [field],
    links.map((link) => ({ record: link.related, reader: SYSTEM })),
  )
  return links.flatMap(({ record }, at) => addresses(Number(record), seen[at]?.[0]))
}

async function fieldsAt(
  { sightings }: ActionContext,
  resource: string,
  path: string,
  records: readonly number[],
): Promise<readonly Recipient[]> {
  const seen = await sightings(
    resource,
    [path],
    records.map((record) => ({ record, reader: SYSTEM })),
  )
  return records.flatMap((record, at) => addresses(Number(record), seen[at]?.[0]))
}

function addresses(record: number, value: unknown): readonly Recipient[] {
  const all = Array.isArray(value) ? value : [value]
  return all.flatMap((address) => (typeof address === 'string' ? [{ record, address, actor: undefined }] : []))
}

interface Here {
  readonly catalog: Catalog
  readonly transaction: Transaction
}

/** The addresses that belong to no account and no contact. */
export async function strangersAmong(
  { catalog, transaction }: Here,
  addresses: readonly string[],
): Promise<ReadonlySet<string>> {
  const asked = new Set(addresses.map((address) => address.toLowerCase()))
  const known = [catalog.accounts?.resource, 'contacts'].flatMap((name) => {
    const resource = catalog.resources.get(name ?? '')
    const email = resource?.fields.get('email')
    return resource === undefined || email === undefined
      ? []
      : [`select "${email.column}" from "${resource.table}" where "${email.column}" = any($1::text[])`]
  })
  if (asked.size === 0 || known.length === 0) return asked
  const rows = await transaction.run({ text: known.join(' union '), name: 'mail known addresses' }, [[...asked]])
  for (const [address] of rows) asked.delete(address ?? '')
  return asked
}
