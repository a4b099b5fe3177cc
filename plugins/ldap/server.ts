/** ⇄ The server of a directory (RFC 4511): searches under its breaker, and the proof of a password by a bind. */
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import type { Client, Entry, Filter } from 'ldapts'
import { breakerOf, type Settings } from '../../engine/index.ts'
import { type Directory, NAME } from './options.ts'

/** How long a connection and each answer may take. */
const PATIENCE_MS = 5_000
/** How deep groups are in groups, and how many of them one person has, at most. */
const DEEPEST = 20
const MOST_GROUPS = 2_000
/** How many groups one search asks for. */
const TOGETHER = 50

/** What the directory has of somebody. */
export interface Person {
  readonly dn: string
  readonly id: string
  readonly attributes: Entry
  readonly groups: readonly string[]
}

/** Asks the directory of some settings and options. */
export interface Asking {
  readonly settings: Settings
  readonly directory: Directory
}

/** A server that could not be reached, or broke off; breakers know it by its code. */
class Unreachable extends Error {
  readonly code = 'ECONNECTION'
}

/**
 * Runs work on a connection of its own, which is encrypted where the directory says so; rejects with Unreachable where the
 * server is out, and with the errors of its answers.
 */
async function connected<T>({ directory, settings }: Asking, work: (client: Client) => Promise<T>): Promise<T> {
  const { Client, ResultCodeError } = await import('ldapts')
  return breakerOf(settings, NAME).run(async () => {
    const tlsOptions = await tlsOptionsOf(directory)
    const times = { timeout: PATIENCE_MS, connectTimeout: PATIENCE_MS }
    // With these the library encrypts from the beginning, whatever the address says.
    const fromBeginning = directory.url.startsWith('ldaps:') ? { tlsOptions } : {}
    const client = new Client({ url: directory.url, strictDN: false, ...times, ...fromBeginning })
    try {
      if (directory.starttls) await client.startTLS({ ...tlsOptions, host: new URL(directory.url).hostname })
      return await work(client)
    } catch (error) {
      if (error instanceof ResultCodeError || error instanceof WrongEntry) throw error
      throw new Unreachable(error instanceof Error ? error.message : String(error), { cause: error })
    } finally {
      await client.unbind().catch(() => undefined)
    }
  })
}

async function tlsOptionsOf({ ca, url }: Directory) {
  const { hostname } = new URL(url)
  // An address is compared with the certificate too, and is no name by which a server chooses one.
  return { ...(isIP(hostname) === 0 && { servername: hostname }), ...(ca !== undefined && { ca: await readFile(ca) }) }
}

/** Runs searches as the entry that may search. */
export async function searching<T>(asking: Asking, work: (search: Search) => Promise<T>): Promise<T> {
  return connected(asking, async (client) => {
    const { bind } = asking.directory
    if (bind !== undefined) await client.bind(bind, asking.settings.env.LDAP_PASSWORD ?? '')
    return work(searchOf(client, asking.directory))
  })
}

/** Searches for people. */
export interface Search {
  /** Those whom a name can mean: two are as good as none. */
  named(name: string): Promise<readonly Person[]>
  /** Whether there is anybody. */
  any(): Promise<boolean>
  /** The one whom an id means; undefined for one that is gone or disabled. */
  known(id: string): Promise<Person | undefined>
}

function searchOf(client: Client, directory: Directory): Search {
  const { attributes, base, signIn } = directory
  const people = async (condition: Filter): Promise<readonly Person[]> => {
    const { AndFilter, FilterParser } = await import('ldapts')
    const filter = new AndFilter({ filters: [FilterParser.parseString(directory.filter), condition] })
    const { searchEntries } = await client.search(base, {
      scope: 'sub',
      filter,
      sizeLimit: 3,
      attributes: ['*', attributes.id],
      explicitBufferAttributes: attributes.id === 'objectGUID' ? ['objectGUID'] : [],
    })
    const all: Person[] = []
    for (const entry of searchEntries) all.push(await personOf(client, directory, entry))
    return all
  }
  return {
    any: async () => {
      const { filter } = directory
      const { searchEntries } = await client.search(base, { scope: 'sub', filter, sizeLimit: 1, attributes: ['1.1'] })
      return searchEntries.length > 0
    },
    named: async (name) => people(await anyOf(signIn.map((attribute) => [attribute, name]))),
    known: async (id) => {
      const value = attributes.id === 'objectGUID' ? Buffer.from(id, 'hex') : id
      return (await people(await anyOf([[attributes.id, value]])))[0]
    },
  }
}

/** A condition that holds where one of these attributes has its value. Values go as bytes: none is read as a filter. */
async function anyOf(pairs: readonly (readonly [attribute: string, value: Buffer | string])[]): Promise<Filter> {
  const { EqualityFilter, OrFilter } = await import('ldapts')
  return new OrFilter({ filters: pairs.map(([attribute, value]) => new EqualityFilter({ attribute, value })) })
}

/** An entry without what makes it a person. */
class WrongEntry extends Error {}

async function personOf(client: Client, directory: Directory, entry: Entry): Promise<Person> {
  const id = textIn(entry, directory.attributes.id)
  if (id === '') throw new WrongEntry(`the entry ${entry.dn} has no ${directory.attributes.id} that can be read`)
  return { dn: entry.dn, id, attributes: entry, groups: await groupsOf(client, directory, entry) }
}

function textIn(entry: Entry, attribute: string): string {
  const value = entry[attribute]
  const [first] = Array.isArray(value) ? value : [value]
  return Buffer.isBuffer(first) ? first.toString('hex') : String(first ?? '')
}

/** The names of the groups of an entry, and of those that these belong to. */
async function groupsOf(client: Client, { groups, signIn }: Directory, entry: Entry): Promise<readonly string[]> {
  if (groups === undefined) return []
  const { AndFilter, FilterParser } = await import('ldapts')
  const uid = textIn(entry, signIn[0] ?? '')
  const found = new Map<string, string>()
  let members: readonly string[] = [entry.dn]
  for (let depth = 0; members.length > 0 && depth < (groups.nested ? DEEPEST : 1); depth++) {
    const next: string[] = []
    for (let at = 0; at < members.length; at += TOGETHER) {
      const names = members.slice(at, at + TOGETHER)
      const pairs = names.flatMap((dn) => ['member', 'uniqueMember'].map((attribute) => [attribute, dn] as const))
      // Groups of POSIX name people by their word.
      const words = depth === 0 && uid !== '' ? [['memberUid', uid] as const] : []
      const either = await anyOf([...pairs, ...words])
      const filter = new AndFilter({ filters: [FilterParser.parseString(groups.filter), either] })
      const { searchEntries } = await client.search(groups.base, { scope: 'sub', filter, attributes: [groups.name] })
      for (const group of searchEntries) {
        if (found.has(group.dn)) continue
        found.set(group.dn, textIn(group, groups.name))
        next.push(group.dn)
      }
    }
    if (found.size > MOST_GROUPS) throw new WrongEntry(`${entry.dn} belongs to more than ${MOST_GROUPS} groups`)
    members = next
  }
  return [...new Set(found.values())].sort()
}

/** A name that nobody has: an unknown name is refused after as long as a wrong password. */
const NOBODY = 'cn=nobody has this name'

/**
 * The person whose name and password these are; undefined for any other. Nobody is asked for whose name is not found, or
 * means several, and the answer takes as long.
 */
export async function proved(asking: Asking, name: string, password: string): Promise<Person | undefined> {
  // A bind without a password is anonymous, and succeeds (RFC 4513, 5.1.2).
  if (name === '' || password === '') return undefined
  const found = await searching(asking, (search) => search.named(name))
  const one = found.length === 1 ? found[0] : undefined
  const { ResultCodeError } = await import('ldapts')
  return connected(asking, async (client) => {
    try {
      await client.bind(one?.dn ?? `${NOBODY},${asking.directory.base}`, password)
      return one
    } catch (error) {
      if (error instanceof ResultCodeError && !OUT.has(error.code)) return undefined
      throw error
    }
  })
}

/** Results by which a server says that it cannot answer (RFC 4511, appendix A): no word on the password. */
const OUT: ReadonlySet<number> = new Set([1, 2, 3, 8, 13, 51, 52, 80])
