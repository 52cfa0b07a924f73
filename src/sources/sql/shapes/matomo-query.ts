/**
 * A visit of one action, as Matomo's API has it; `PREFIX_` begins the names of its tables. server_time is UTC. Old visits may be
 * gone before their actions, and an address of no known scheme has no prefix: neither loses the row or the address.
 */
export const MATOMO_ACTIONS = `SELECT a.idsite AS idSite, a.idvisit AS idVisit, LOWER(HEX(a.idvisitor)) AS visitorId,
  COALESCE(v.user_id, '') AS userId,
  TIMESTAMPDIFF(SECOND, '1970-01-01', v.visit_first_action_time) AS firstActionTimestamp,
  COALESCE(v.location_country, '') AS countryCode, COALESCE(v.location_city, '') AS city,
  JSON_ARRAY(JSON_OBJECT(
    'type', CASE WHEN a.idaction_event_category IS NOT NULL THEN 'event'
      WHEN u.type = 2 THEN 'outlink' WHEN u.type = 3 THEN 'download' WHEN t.type = 8 THEN 'search'
      WHEN a.idaction_content_name IS NOT NULL THEN 'content' ELSE 'action' END,
    'pageId', a.idlink_va, 'serverTime', DATE_FORMAT(a.server_time, '%Y-%m-%d %H:%i:%s'),
    'idpageview', a.idpageview, 'pageviewPosition', a.pageview_position,
    'url', CONCAT(COALESCE(ELT(u.url_prefix + 1, 'http://', 'http://www.', 'https://', 'https://www.'), ''), u.name),
    'pageTitle', IF(t.type = 4, t.name, NULL), 'siteSearchKeyword', IF(t.type = 8, t.name, NULL),
    'eventCategory', ec.name, 'eventAction', ea.name, 'eventName', IF(t.type = 12, t.name, NULL),
    'eventValue', IF(a.idaction_event_category IS NOT NULL, a.custom_float, NULL),
    'contentName', cn.name, 'contentPiece', cp.name, 'contentTarget', ct.name, 'contentInteraction', ci.name
  )) AS actionDetails
FROM PREFIX_log_link_visit_action a
LEFT JOIN PREFIX_log_visit v ON v.idvisit = a.idvisit
LEFT JOIN PREFIX_log_action u ON u.idaction = a.idaction_url
LEFT JOIN PREFIX_log_action t ON t.idaction = a.idaction_name
LEFT JOIN PREFIX_log_action ec ON ec.idaction = a.idaction_event_category
LEFT JOIN PREFIX_log_action ea ON ea.idaction = a.idaction_event_action
LEFT JOIN PREFIX_log_action cn ON cn.idaction = a.idaction_content_name
LEFT JOIN PREFIX_log_action cp ON cp.idaction = a.idaction_content_piece
LEFT JOIN PREFIX_log_action ct ON ct.idaction = a.idaction_content_target
LEFT JOIN PREFIX_log_action ci ON ci.idaction = a.idaction_content_interaction
WHERE a.server_time >= {from} AND a.server_time < {to}`
