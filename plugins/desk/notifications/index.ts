/** The notifications plugin: tells people of what happens on the desk, in their list and the important things by mail. */
import { definePlugin } from '../../../engine/index.ts'
import { unseededRoles } from '../../auth/known-roles.ts'
import { notifyAction } from './automation.ts'
import { addedKinds, addKinds, withKinds } from './automation-kinds.ts'
import { OPTIONS, optionsOf } from './options.ts'
import { routes } from './routes.ts'
import { settingsRoutes } from './settings.ts'
import { explainTelling, tell } from './tell.ts'
import { unassigned } from './unassigned.ts'

const ALL = { any: [{ read_at: null }, { not: { read_at: null } }] }

export default definePlugin({
  name: 'notifications',
  description:
    'Notifications for each user, made as soon as what they tell of is certain; the important ones go by mail too.',
  after: ['auth', 'mail'],
  options: OPTIONS,
  resources: [
    new URL('./resources/notifications.yaml', import.meta.url),
    new URL('./resources/notification_settings.yaml', import.meta.url),
  ],
  specials: {
    unread: {
      description: 'Whether only unread notifications are listed.',
      values: { true: { read_at: null }, '1': { read_at: null }, false: ALL, '0': ALL },
    },
  },
  rules: [(catalog, options) => unseededRoles(catalog, 'notifications', 'unassigned', optionsOf(options).unassigned)],
  hooks: { unassigned },
  listeners: {
    tell: { description: 'Tells people of tickets, comments and messages.', run: tell, explain: explainTelling },
  },
  actions: { notify: notifyAction },
  transforms: [addKinds],
  resourceRoutes: (resource) =>
    resource.name === 'notifications'
      ? [...routes, ...settingsRoutes].map((route) => withKinds(route, addedKinds(resource)))
      : [],
})
