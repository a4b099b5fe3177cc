/** What `check` finds wrong with providers: conditions on claims, roles, values of accounts, and what a preset lacks. */
import {
  type Catalog,
  isObject,
  type Json,
  type JsonObject,
  nearest,
  type RuleComplaint,
  readChangeCondition,
  targetOf,
} from '../../../engine/index.ts'
import { roleMistakes } from '../roles.ts'
import { claimsOf, readClaimCondition } from './claims.ts'
import { type Given, type Provider, providersIn } from './options.ts'
import { isLocal } from './server.ts'

type At = readonly (string | number)[]

/** A rule of the plugin. */
export function providerMistakes(catalog: Catalog, options: JsonObject): readonly RuleComplaint[] {
  return [...providersIn(options).values()].flatMap((provider) => {
    const at: At = ['providers', provider.name]
    return [...issuerMistakes(provider, at), ...mappingMistakes(catalog, provider, at)]
  })
}

/** What is wrong with the mapping of whatever names people; `at` is the place of its options. */
export function mappingMistakes(catalog: Catalog, provider: Provider, at: At): readonly RuleComplaint[] {
  const roles = provider.roles ?? []
  return [
    ...(provider.admit === undefined ? [] : conditionMistakes(catalog, provider, provider.admit, [...at, 'admit'])),
    ...(isObject(provider.secondFactor)
      ? conditionMistakes(catalog, provider, provider.secondFactor, [...at, 'second_factor'])
      : []),
    ...(provider.created === undefined ? [] : givenMistakes(catalog, provider, provider.created, [...at, 'new'], [])),
    ...roles.flatMap((line, index) => [
      ...conditionMistakes(catalog, provider, line.when, [...at, 'roles', index, 'when']),
      ...givenMistakes(catalog, provider, line, [...at, 'roles', index], ['set']),
    ]),
    ...(provider.otherwise.kind === 'role'
      ? roleMistakes(catalog, provider.otherwise.role, [...at, 'otherwise'], ['deny', 'keep'])
      : []),
  ]
}

function issuerMistakes({ issuer, name }: Provider, at: At): readonly RuleComplaint[] {
  const complain = (message: string, hint: string, where: At = at): readonly RuleComplaint[] => [
    { code: 'auth/wrong_provider', message, hint, at: where },
  ]
  if (issuer === '') return complain(`Nothing says where the provider "${name}" is`, 'write issuer: https://…')
  if (issuer.includes('{tenant}'))
    return complain(`The provider "${name}" needs the id of a directory`, 'write tenant: and the id that Entra shows')
  const address = new URL(issuer)
  if (address.protocol === 'https:' || isLocal(address)) return []
  return complain('Tokens that come over plain http can be forged', 'write an issuer that begins with https', [
    ...at,
    'issuer',
  ])
}

function conditionMistakes(
  catalog: Catalog,
  provider: Provider,
  written: JsonObject,
  at: At,
): readonly RuleComplaint[] {
  const { problems = [] } = readClaimCondition(catalog, provider, written)
  const claims = Object.keys(claimsOf(provider))
  return problems.map(({ at: below, hint, message }) => {
    const [, unknown] = /has no field or relation "([^"]+)"/.exec(message) ?? []
    const near = unknown === undefined ? undefined : nearest(unknown, claims)
    if (unknown === undefined)
      return {
        code: 'auth/wrong_claim',
        message,
        at: [...at, ...present(written, below)],
        ...(hint !== undefined && { hint }),
      }
    return {
      code: 'auth/wrong_claim',
      message: `No claim "${unknown}" is known of ${provider.name}`,
      hint: near === undefined ? `say its type, as claims: { ${unknown}: string }` : `did you mean "${near}"?`,
      at: [...at, ...present(written, below)],
      part: 'key' as const,
    }
  })
}

/** As much of a place as is written: a list of values is asked in another form. */
function present(written: Json, at: At): At {
  const [first, ...rest] = at
  if (first === undefined || typeof written !== 'object' || written === null) return []
  const inner = (written as Readonly<Record<string, Json>>)[first]
  return inner === undefined ? [] : [first, ...present(inner, rest)]
}

function givenMistakes(
  catalog: Catalog,
  provider: Provider,
  { role, set }: Given,
  at: At,
  below: At,
): readonly RuleComplaint[] {
  const users = catalog.resources.get('users')
  if (users === undefined) return []
  const ofRole = role === undefined ? [] : roleMistakes(catalog, role, [...at, 'role'], [])
  const ofValues = Object.entries(set).flatMap(([name, value]): readonly RuleComplaint[] => {
    const where = [...at, ...below, name]
    const complain = (message: string, hint?: string, part: RuleComplaint['part'] = 'value') => [
      { code: 'auth/wrong_value' as const, message, at: where, part, ...(hint !== undefined && { hint }) },
    ]
    const relation = users.relations.get(name)
    if (relation?.kind === 'belongs_to') {
      const { problems = [] } = readChangeCondition(catalog, targetOf(catalog, relation), value)
      return problems.map(({ at: deeper, ...problem }) => ({
        code: 'auth/wrong_value',
        at: [...where, ...deeper],
        ...problem,
      }))
    }
    const field = users.fields.get(name)
    if (field === undefined || field.readOnly) {
      const near = nearest(name, [...users.fields.keys(), ...users.relations.keys()])
      return complain(
        `Nothing writes "${name}" of users`,
        near === undefined ? undefined : `did you mean "${near}"?`,
        'key',
      )
    }
    if (isObject(value)) return claimMistake(provider, value, complain)
    const decoded = field.type.decode(value, field.options)
    return 'error' in decoded ? complain(`"${name}" ${decoded.error}`) : []
  })
  return [...ofRole, ...ofValues]
}

function claimMistake(
  provider: Provider,
  { claim }: JsonObject,
  complain: (message: string, hint?: string) => readonly RuleComplaint[],
): readonly RuleComplaint[] {
  const claims = Object.keys(claimsOf(provider))
  if (typeof claim !== 'string') return complain('A value is written out, or names a claim', 'write { claim: name }')
  if (claims.includes(claim)) return []
  const near = nearest(claim, claims)
  return complain(
    `No claim "${claim}" is known of ${provider.name}`,
    near === undefined ? `say its type, as claims: { ${claim}: string }` : `did you mean "${near}"?`,
  )
}
