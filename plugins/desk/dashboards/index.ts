/**
 * The dashboards plugin: five routes with figures of the tickets that the reader may see, and a page that draws them.
 */
import { definePlugin } from '../../../engine/index.ts'
import { pageRoutes } from './page.ts'
import { figureRoutes } from './routes.ts'

export default definePlugin({
  name: 'dashboards',
  description: 'Figures of the desk, counted in SQL over what the reader may see, and a page that draws them.',
  after: ['tickets', 'activity'],
  permissions: {
    'dashboard.view': 'May read the figures of the desk, over the tickets that they may see.',
    'dashboard.analytics': 'May read metrics, analytics, performance and charts of the desk.',
  },
  reliesOn: {
    tickets: [
      'status_id',
      'priority_id',
      'department_id',
      'category_id',
      'type_id',
      'user_id',
      'assigned_to',
      'due_date',
      'tags',
      'first_response_at',
      'resolved_at',
      'closed_at',
      'sla_state',
    ],
    statuses: ['name', 'category'],
    priorities: ['name', 'color'],
    departments: ['name'],
    categories: ['name'],
    types: ['name'],
    users: ['first_name', 'last_name'],
    customers: [],
    contacts: [],
  },
  routes: [...figureRoutes, ...pageRoutes],
  start: async ({ settings }) => [`Dashboard  ${settings.baseUrl.replace(/\/+$/, '')}/dashboard`],
})
