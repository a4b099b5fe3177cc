/** Makes access rules of the maps with `permission`, `role` and `who`, and collects the permissions that they name. */

import type { Access } from '../catalog/catalog.ts'
import type { AccessDefinition, Document } from '../definition/definition.ts'
import type { Resolution } from './resolution.ts'

/** The conditions of one access map; all of them must hold. */
export function accessOf(written: AccessDefinition): readonly Access[] {
  const access: Access[] = []
  if (written.permission !== undefined) access.push({ kind: 'permission', permission: written.permission })
  if (written.role !== undefined)
    access.push({ kind: 'role', roles: typeof written.role === 'string' ? [written.role] : written.role })
  if (written.who !== undefined) access.push({ kind: written.who })
  return access
}

/** The alternatives of a field's or relation's `read` or `write`; undefined when nothing is said. */
export function alternatives(
  resolution: Pick<Resolution, 'report'>,
  written: Document<AccessDefinition | readonly AccessDefinition[] | undefined>,
): readonly Access[] | undefined {
  if (written.value === undefined) return undefined
  const list: readonly AccessDefinition[] = isList(written.value) ? written.value : [written.value]
  return list.flatMap((definition, index) => {
    const access = accessOf(definition)
    if (access.length !== 1) {
      const span = written.place(isList(written.value) ? [index] : [])
      resolution.report('wrong_access', 'An access rule names one of permission, role and who', span, {
        expected: ['{ permission: … }', '{ role: … }', '{ who: anyone | signed_in }'],
        hint: 'write alternatives as a list',
      })
    }
    return access
  })
}

/** Declares the permissions that access rules name, each with the resource that named it first. */
export function declarePermissions(
  resolution: Pick<Resolution, 'permissions'>,
  access: readonly Access[] | undefined,
  from: string,
): void {
  for (const rule of access ?? []) {
    if (rule.kind === 'permission' && !resolution.permissions.has(rule.permission))
      resolution.permissions.set(rule.permission, from)
  }
}

/** Whether everybody who fulfils all conditions of the first fulfils those of the second. */
export function implies(first: readonly Access[], second: readonly Access[]): boolean {
  return second.every((wanted) =>
    wanted.kind === 'anyone'
      ? true
      : first.some((given) => {
          if (wanted.kind === 'signed_in') return given.kind !== 'anyone'
          if (wanted.kind === 'permission') return given.kind === 'permission' && given.permission === wanted.permission
          return given.kind === 'role' && given.roles.every((role) => wanted.roles.includes(role))
        }),
  )
}

function isList<T>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value)
}
