-- Matomo's own database, MySQL or MariaDB: an action a row, as its API would give it. Times are UTC: --window-format 'YYYY-MM-DD HH:mm:ss'.
-- matomo_ begins the names of the tables. Old visits may be gone before their actions: that loses no row.
SELECT JSON_OBJECT(
  'idSite', a.idsite,
  'idVisit', a.idvisit,
  'visitorId', LOWER(HEX(a.idvisitor)),
  'userId', COALESCE(v.user_id, ''),
  'firstActionTimestamp', TIMESTAMPDIFF(SECOND, '1970-01-01', v.visit_first_action_time),
  'countryCode', COALESCE(v.location_country, ''),
  'city', COALESCE(v.location_city, ''),
  'actionDetails', JSON_ARRAY(JSON_OBJECT(
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
  ))
) AS line
FROM matomo_log_link_visit_action a
LEFT JOIN matomo_log_visit v ON v.idvisit = a.idvisit
LEFT JOIN matomo_log_action u ON u.idaction = a.idaction_url
LEFT JOIN matomo_log_action t ON t.idaction = a.idaction_name
LEFT JOIN matomo_log_action ec ON ec.idaction = a.idaction_event_category
LEFT JOIN matomo_log_action ea ON ea.idaction = a.idaction_event_action
LEFT JOIN matomo_log_action cn ON cn.idaction = a.idaction_content_name
LEFT JOIN matomo_log_action cp ON cp.idaction = a.idaction_content_piece
LEFT JOIN matomo_log_action ct ON ct.idaction = a.idaction_content_target
LEFT JOIN matomo_log_action ci ON ci.idaction = a.idaction_content_interaction
WHERE a.server_time >= '{from}' AND a.server_time < '{to}'
