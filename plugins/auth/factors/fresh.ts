/** A fresh proof of who is signed in, before acts that a stolen session must not do. */
import {
  ApiError,
  type Catalog,
  type Diagnostic,
  type HookContribution,
  type JsonObject,
  nearest,
  type PluginContext,
  type ResourceDefinition,
} from '../../../engine/index.ts'
import { authOptions } from '../options.ts'
import { sessionOf } from '../session.ts'

/** The acts of this plugin that can ask for one; those on records are `<resource>.<action>`. */
const OWN = ['auth.keys', 'auth.second_factor'] as const
const ACTIONS = ['create', 'update', 'delete', 'restore'] as const
/** Who changes second factors proves who it is in any case. */
const USUAL_MS = 600_000

/** Throws proof_required where the session proved too long ago who it is; callers without a session pass. */
export async function requireFresh(
  context: Pick<PluginContext, 'actor' | 'catalog' | 'model' | 'now'>,
  act: string,
): Promise<void> {
  const { again } = authOptions(context.catalog.pluginOptions.get('auth') ?? {}).secondFactor
  const afterMs =
    again?.for.includes(act) === true ? again.afterMs : act === 'auth.second_factor' ? USUAL_MS : undefined
  const jti = sessionOf(context.actor)
  if (afterMs === undefined || jti === undefined || context.actor.scope !== undefined) return
  const fresh = await context
    .model('access_tokens')
    .query()
    .findOne({ jti })
    .where('fresh_at', '>=', new Date(context.now().getTime() - afterMs))
    .select('id')
  if (fresh === undefined) throw new ApiError('proof_required')
}

/** `auth.again`: a write of a person needs a fresh proof. */
export const again: HookContribution = {
  run: async (context, next) => {
    const { action, actor, resource } = context
    if (actor.kind === 'user') await requireFresh(context, `${resource.name}.${action}`)
    await next()
  },
}

/** Puts `auth.again` around the actions that the option `second_factor.again` names. */
export function withAgain(resource: ResourceDefinition, options: JsonObject): ResourceDefinition {
  const named = authOptions(options).secondFactor.again?.for ?? []
  const asked = ACTIONS.filter((action) => named.includes(`${resource.resource}.${action}`))
  if (asked.length === 0) return resource
  const hooks = asked.map((action) => [action, ['auth.again', ...(resource.hooks?.[action] ?? [])]] as const)
  return { ...resource, hooks: { ...resource.hooks, ...Object.fromEntries(hooks) } }
}

/** A diagnostic for each act of the option that there is not. */
export function unknownActs({ resources }: Catalog, options: JsonObject): readonly Diagnostic[] {
  const known = [...OWN, ...[...resources.keys()].flatMap((name) => ACTIONS.map((action) => `${name}.${action}`))]
  const named = authOptions(options).secondFactor.again?.for ?? []
  return named
    .filter((act) => !known.includes(act))
    .map((act) => {
      const near = nearest(act, known)
      return {
        code: 'auth/unknown_act',
        message: `There is no act "${act}", which the option "second_factor.again" of the plugin auth names`,
        hint: near === undefined ? `write one of ${OWN.join(', ')}, or <resource>.<action>` : `did you mean "${near}"?`,
      }
    })
}
