# What the desktop knows of the studio: its menu entry, its icon, its type of files, its description in software centres.
set(name org.lambda_studio.LambdaStudio)
set(icon ${resources}/icons/lambda-studio.svg)
install(FILES ${resources}/desktop/${name}.desktop DESTINATION share/applications)
install(FILES ${resources}/desktop/${name}.metainfo.xml DESTINATION share/metainfo)
install(FILES ${resources}/desktop/lambda-studio.xml DESTINATION share/mime/packages)
install(FILES ${icon} DESTINATION share/icons/hicolor/scalable/apps)

# Menus without SVG take the nearest of these sizes.
add_executable(draw_icon draw_icon.cpp)
target_link_libraries(draw_icon PRIVATE lambda_options Qt6::Svg)
foreach(pixels 48 128)
  set(png ${CMAKE_CURRENT_BINARY_DIR}/${pixels}/lambda-studio.png)
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${pixels})
  add_custom_command(OUTPUT ${png} DEPENDS ${icon} draw_icon COMMAND draw_icon ${icon} ${png} ${pixels} VERBATIM)
  list(APPEND pngs ${png})
  install(FILES ${png} DESTINATION share/icons/hicolor/${pixels}x${pixels}/apps)
endforeach()
add_custom_target(lambda_icons ALL DEPENDS ${pngs})
